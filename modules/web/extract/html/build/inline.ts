import { isMark } from "../clutter.ts";
import { codeOf } from "../code.ts";
import {
  ancestorIn,
  childrenOf,
  elementsIn,
  isElement,
  lineOf,
  moveChildren,
  type DomElement,
} from "../dom.ts";
import { linkTarget } from "../links.ts";
import { append, appendRaw, appendText, type Build, type Builder } from "./build.ts";

/** Emphasis and the like; within itself and around blocks it is left out. */
function inline(name: string): Builder {
  return (build, from, into) => {
    if (build.marks.has(name)) {
      build.children(from, into);
      return;
    }
    const before = build.blocks;
    build.marks.add(name);
    const element = append(build, name, into, (made) => build.children(from, made));
    build.marks.delete(name);
    if (element && (build.blocks > before || !lineOf(element))) {
      element.remove();
      moveChildren(element, into);
    }
  };
}

const bold = inline("strong");
/** A heading is bold without saying so. */
const strong: Builder = (build, from, into) => {
  if (into.localName === "th" || /^h[1-6]$/.test(into.localName)) build.children(from, into);
  else bold(build, from, into);
};

const code: Builder = (build, from, into) => {
  const text = codeOf(from).replace(/\s+/g, " ");
  if (text.trim()) append(build, "code", into, (made) => appendRaw(build, text, made));
};

/** Who is quoted stands on a line of its own. */
const cited: Builder = (build, from, into) => {
  const opensQuote = into.firstChild === null && ancestorIn(from, QUOTES) !== undefined;
  inline("em")(build, from, into);
  if (opensQuote) lineBreak(build, from, into);
};
const QUOTES = new Set(["blockquote"]);

const quoted: Builder = (build, from, into) => {
  appendText(build, "“", into);
  build.children(from, into);
  appendText(build, "”", into);
};

/** `10<sup>6</sup>` is not 106, and a note's number is not part of the word. */
const raised: Builder = (build, from, into) => {
  const text = lineOf(from);
  const note = /^\[?(\d{1,3}|[a-z*†‡])\]?$/.exec(text)?.[1];
  if (from.querySelector("a") && note) appendText(build, `[${note}]`, into);
  else if (/^[-+−]?(?:\d+|[a-z])$/.test(text) && /[\w)\]]$/.test(into.lastChild?.textContent ?? ""))
    appendText(build, `^${text}`, into);
  else build.children(from, into);
};

const reading: Builder = (build, from, into) => {
  const text = lineOf(from);
  if (text) appendText(build, `(${text})`, into);
};

const formula: Builder = (build, from, into) => {
  const written =
    from.getAttribute("alttext") ??
    from.querySelector('annotation[encoding="application/x-tex"]')?.textContent;
  const tex = (written ?? "").replace(/\s+/g, " ").trim();
  const mark = from.getAttribute("display") === "block" ? "$$" : "$";
  const text = tex ? mark + tex + mark : lineOf(from);
  const isBlock = from.getAttribute("display") === "block" && build.inLine === 0;
  if (isBlock) build.blocks++;
  const place = isBlock ? build.out.createElement("p") : into;
  if (isBlock) into.appendChild(place);
  if (text) append(build, "math", place, (made) => appendRaw(build, text, made));
};

/** Pictures are left out, but for those that stand for a character or a formula. */
const picture: Builder = (build, from, into) => {
  const alt = from.getAttribute("alt")?.trim() ?? "";
  const names = from.getAttribute("class") ?? "";
  if (/math|latex|tex\b/i.test(names)) appendText(build, alt, into);
  else if (alt && /emoji/i.test(names) && alt.length <= 16) appendText(build, alt, into);
};

const link: Builder = (build, from, into) => {
  if (isMark(from)) return;
  const target = linkTarget(from.getAttribute("href"), build.place);
  if (target === undefined) {
    build.children(from, into);
    return;
  }
  const before = build.blocks;
  const made = append(build, "a", into, (element) => {
    element.setAttribute("href", target);
    build.children(from, element);
    if (!lineOf(element)) appendText(build, labelOf(from), element);
  });
  if (!made) return;
  if (build.blocks > before) linkWithin(build, made, into);
  else if (!lineOf(made)) made.remove();
};

/** What a link without text says to those who cannot see it. */
function labelOf(from: DomElement): string {
  const alt = from.querySelector("img")?.getAttribute("alt");
  return (alt || from.getAttribute("aria-label") || from.getAttribute("title") || "").trim();
}

/** A link around blocks, such as a card: its heading, or its first block, becomes the link. */
function linkWithin(build: Build, made: DomElement, into: DomElement): void {
  const target = made.querySelector("h1, h2, h3, h4, h5, h6") ?? firstLeaf(made);
  if (target && lineOf(target)) {
    const inner = build.out.createElement("a");
    inner.setAttribute("href", made.getAttribute("href") ?? "");
    moveChildren(target, inner);
    target.appendChild(inner);
  }
  const box = build.out.createElement("div");
  moveChildren(made, box);
  made.remove();
  into.appendChild(box);
}

const LEAVES = new Set(["p", "div", "section", "article", "li", "figcaption", "blockquote"]);

function firstLeaf(element: DomElement): DomElement | undefined {
  for (const child of elementsIn(element)) {
    if (!lineOf(child)) continue;
    return childrenOf(child).some((inner) => isElement(inner) && LEAVES.has(inner.localName))
      ? firstLeaf(child)
      : child;
  }
  return undefined;
}

const lineBreak: Builder = (build, _, into) => into.appendChild(build.out.createElement("br"));

export const INLINE_BUILDERS: readonly (readonly [string, Builder])[] = [
  ["a", link],
  ["b", strong],
  ["strong", strong],
  ["cite", cited],
  ...["em", "i"].map((name) => [name, inline("em")] as const),
  ...["del", "s", "strike"].map((name) => [name, inline("del")] as const),
  ...["code", "kbd", "samp", "tt"].map((name) => [name, code] as const),
  ["q", quoted],
  ["sup", raised],
  ["rt", reading],
  ["rp", () => {}],
  ["math", formula],
  ["img", picture],
  ["br", lineBreak],
];
