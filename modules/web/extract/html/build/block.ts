import { append, appendRaw, appendText, type Builder } from "./build.ts";
import { codeOf, languageOf } from "../code.ts";
import { ancestorIn, childrenOf, elementsIn, isElement, lineOf, type DomElement } from "../dom.ts";
import { linkTarget } from "../links.ts";

const BOXES = new Set(
  "article blockquote center div dl footer form header main ol p pre section table ul".split(" "),
);
/** Deeper down a box that only holds boxes is left out: it means nothing, and every level costs. */
const MAX_BOXES = 30;

/** The element `name`, with the names by which Readability tells content from the rest. */
function block(name: string): Builder {
  return (build, from, into) => {
    build.blocks++;
    if (build.inBox >= MAX_BOXES && holdsOnlyBoxes(from)) {
      build.children(from, into);
      return;
    }
    build.inBox++;
    append(build, name, into, (made) => {
      for (const attribute of ["class", "id", "role"]) {
        const value = from.getAttribute(attribute);
        if (value) made.setAttribute(attribute, value);
      }
      build.children(from, made);
    });
    build.inBox--;
  };
}

function holdsOnlyBoxes(from: DomElement): boolean {
  return childrenOf(from).every((child) => (isElement(child) ? BOXES.has(child.localName) : !lineOf(child)));
}

/** A line that heads what follows, without being a heading of the page. */
const label: Builder = (build, from, into) => {
  build.blocks++;
  append(build, "p", into, (made) => {
    append(build, "strong", made, (strong) => build.children(from, strong));
  });
};

const paragraph: Builder = (build, from, into) => {
  const isLabel = /(?:^|\s)(?:admonition-title|admonition-heading|callout-title)(?:\s|$)/.test(
    from.getAttribute("class") ?? "",
  );
  (isLabel ? label : block("p"))(build, from, into);
};

const heading: Builder = (build, from, into) => {
  if (build.inCell > 0) {
    label(build, from, into);
    return;
  }
  build.blocks++;
  build.inLine++;
  append(build, from.localName, into, (made) => build.children(from, made));
  build.inLine--;
};

/** What is not shown until its tab is chosen needs the name of that tab. */
const division: Builder = (build, from, into) => {
  const name =
    from.getAttribute("role") === "tabpanel" && build.tabs.get(from.getAttribute("aria-labelledby") ?? "");
  if (name)
    append(build, "p", into, (made) =>
      append(build, "strong", made, (strong) => appendText(build, name, strong)),
    );
  block("div")(build, from, into);
};

/** Notes beside a text belong to it; Readability takes every `aside` for an advertisement. */
const aside: Builder = (build, from, into) => {
  const names = from.getAttribute("class") ?? "";
  block(/note|tip|hint|caution|warning|admonition|callout/i.test(names) ? "div" : "aside")(build, from, into);
};

/** Deeper in, lists and quotes are not set apart: what every level adds to every line would outgrow the text. */
const MAX_INDENTS = 12;

function indented(builder: Builder): Builder {
  return (build, from, into) => {
    if (build.inIndent >= MAX_INDENTS) {
      block("div")(build, from, into);
      return;
    }
    build.inIndent++;
    builder(build, from, into);
    build.inIndent--;
  };
}

/** A list that stands in another one, between its items, belongs to the item before it. */
const list = (name: "ul" | "ol"): Builder =>
  indented((build, from, into) => {
    build.blocks++;
    const before = LISTS.has(into.localName) && isElement(into.lastChild) ? into.lastChild : into;
    append(build, name, before, (made) => {
      made.setAttribute("data-next", from.getAttribute("start") ?? "1");
      build.children(from, made);
    });
  });
const LISTS = new Set(["ul", "ol"]);

const item: Builder = (build, from, into) => {
  if (!LISTS.has(into.localName)) {
    block("div")(build, from, into);
    return;
  }
  build.blocks++;
  const number = integer(from.getAttribute("value")) ?? integer(into.getAttribute("data-next")) ?? 1;
  const made = append(build, "li", into, (li) => build.children(from, li));
  if (!made) return;
  made.setAttribute("data-number", String(number));
  into.setAttribute("data-next", String(number + 1));
};

function integer(written: string | null): number | undefined {
  return written !== null && /^-?\d{1,9}$/.test(written.trim()) ? Number(written) : undefined;
}

/** Terms of one line with short texts are a list; longer ones, such as the functions of a library, go on below the term. */
const terms: Builder = (build, from, into) => {
  const parts = elementsIn(from).flatMap((part) => (part.localName === "div" ? elementsIn(part) : [part]));
  const isShort = parts.every((part) => part.querySelector("p, ul, ol, dl, pre, table, div") === null);
  const isPaired = parts.every(({ localName }, index) => localName === (index % 2 === 0 ? "dt" : "dd"));
  if (!isShort || !isPaired || build.inCell > 0) {
    block("div")(build, from, into);
    return;
  }
  build.blocks++;
  append(build, "ul", into, (made) => {
    for (let index = 0; index + 1 < parts.length; index += 2) {
      append(build, "li", made, (li) => {
        append(build, "strong", li, (strong) => build.children(parts[index]!, strong));
        appendText(build, /[:：]$/.test(lineOf(li)) ? " " : ": ", li);
        build.children(parts[index + 1]!, li);
      });
    }
  });
};

/** The signature of a function, or a plain word. */
const term: Builder = (build, from, into) => {
  const isSignature = /(?:^|\s)sig(?:\s|$)/.test(from.getAttribute("class") ?? "");
  if (!isSignature) {
    label(build, from, into);
    return;
  }
  build.blocks++;
  append(build, "p", into, (made) => {
    append(build, "code", made, (code) => appendRaw(build, codeOf(from).replace(/\s+/g, " ").trim(), code));
  });
};

/** In a table cell there is room for lines of code, not for a block of it. */
const preformatted: Builder = (build, from, into) => {
  build.blocks++;
  const text = codeOf(from).replaceAll("\u00a0", " ");
  if (!text.trim()) return;
  if (build.inCell === 0) {
    append(build, "pre", into, (made) => {
      made.setAttribute("data-language", languageOf(from));
      appendRaw(build, text, made);
    });
    return;
  }
  for (const line of text.split("\n")) {
    append(build, "code", into, (made) => appendRaw(build, line, made));
    into.appendChild(build.out.createElement("br"));
  }
};

const rule: Builder = (build, _, into) => {
  build.blocks++;
  into.appendChild(build.out.createElement("hr"));
};

/** What another document or a player would show here. A frame without a title is rarely for readers. */
const embedded: Builder = (build, from, into) => {
  const source = from.getAttribute("src") ?? from.querySelector("source")?.getAttribute("src") ?? null;
  const target = linkTarget(source, build.place);
  const title = (
    from.getAttribute("title") ??
    from.getAttribute("aria-label") ??
    from.getAttribute("name") ??
    ""
  ).trim();
  const name = NAMES.get(from.localName);
  if (!target || (!title && name === undefined) || isTiny(from)) return;
  build.blocks++;
  append(build, "p", into, (made) => {
    append(build, "a", made, (link) => {
      link.setAttribute("href", target);
      appendText(build, title || name || "", link);
    });
  });
};
const NAMES = new Map([
  ["frame", "Frame"],
  ["video", "Video"],
  ["audio", "Audio"],
]);

function isTiny(element: DomElement): boolean {
  return ["width", "height"].some((side) => /^[0-9]$/.test(element.getAttribute(side) ?? ""));
}

/** The text of a control is not part of the page, unless it heads what it opens. */
const button: Builder = (build, from, into) => {
  if (ancestorIn(from, HEADED)) build.children(from, into);
};
const HEADED = new Set(["h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt", "th"]);

const control: Builder = (build, from, into) => {
  if (from.getAttribute("type") !== "checkbox" || !ancestorIn(from, new Set(["li"]))) return;
  appendRaw(build, from.hasAttribute("checked") ? "[x] " : "[ ] ", into);
};

const formLabel: Builder = (build, from, into) => {
  if (!from.querySelector("select, textarea, input[type=number]")) block("div")(build, from, into);
};

const dialog: Builder = (build, from, into) => {
  if (from.hasAttribute("open")) block("div")(build, from, into);
};

/** As the browser would have put it in place. */
const template: Builder = (build, from, into) => {
  if (from.hasAttribute("shadowrootmode")) block("div")(build, from, into);
};

const SAME = "article figcaption figure footer header main section".split(" ");
const DIVISIONS = "address center details fieldset form dd legend tr".split(" ");
const HEADINGS = "h1 h2 h3 h4 h5 h6".split(" ");
const LEFT_OUT =
  "canvas datalist embed map meter object option progress script select style svg textarea title".split(" ");

export const BLOCK_BUILDERS: readonly (readonly [string, Builder])[] = [
  ...SAME.map((name) => [name, block(name)] as const),
  ...DIVISIONS.map((name) => [name, block("div")] as const),
  ...HEADINGS.map((name) => [name, heading] as const),
  ...LEFT_OUT.map((name) => [name, () => {}] as const),
  ...["pre", "listing", "xmp", "plaintext"].map((name) => [name, preformatted] as const),
  ...["ul", "menu", "dir"].map((name) => [name, list("ul")] as const),
  ...["iframe", "frame", "video", "audio"].map((name) => [name, embedded] as const),
  ["blockquote", indented(block("blockquote"))],
  ["div", division],
  ["p", paragraph],
  ["aside", aside],
  ["summary", label],
  ["ol", list("ol")],
  ["li", item],
  ["dl", terms],
  ["dt", term],
  ["hr", rule],
  ["button", button],
  ["input", control],
  ["label", formLabel],
  ["dialog", dialog],
  ["template", template],
];
