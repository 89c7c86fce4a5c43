// Code as it was written: without the gutters, and with the line ends that a page may only show.

import { isFrame } from "./frames.ts";
import { childrenOf, isElement, type DomElement, type DomNode } from "./dom.ts";

const GUTTER =
  /(?:^|\s)(?:linenos?|line-?numbers?(?:-rows)?|lineno|gutter|hljs-ln-numbers|copy(?:btn|button)?|headerlink)(?:\s|$)/i;
const LINE = new Set(["div", "p", "li", "tr"]);

/** The text of a `pre` or `code`. */
export function codeOf(element: DomElement): string {
  const lines = { text: "" };
  append(lines, element);
  return tidyCode(lines.text);
}

/** Wider gaps and several empty lines in a row say nothing, and cost Turndown the square of their length. */
const WIDE_GAP = /(?<![ \t])[ \t]{200,}/g;

function tidyCode(text: string): string {
  const lines = text.replace(WIDE_GAP, " ".repeat(200)).split("\n");
  const kept = lines.map((line) => line.trimEnd()).filter((line, index, all) => line || all[index - 1]);
  return kept.join("\n").trimEnd();
}

function append(out: { text: string }, node: DomNode): void {
  for (const child of childrenOf(node)) {
    if (!isElement(child)) out.text += child.textContent ?? "";
    else if (child.localName === "br") out.text += "\n";
    else if (isFrame(child) || child.localName === "button" || GUTTER.test(child.getAttribute("class") ?? ""))
      continue;
    else {
      append(out, child);
      if (LINE.has(child.localName) && !out.text.endsWith("\n")) out.text += "\n";
    }
  }
}

const LANGUAGE =
  /(?:^|\s)(?:language|lang|highlight-source|highlight-text|highlight|brush:|sourceCode)[-\s:]\s*([a-z0-9+#.-]{1,24})/i;
const NO_LANGUAGE = /^(?:none|text|plain|plaintext|txt|default|nohighlight|notranslate|source)$/i;
const ALIASES: Readonly<Record<string, string>> = {
  python3: "python",
  pycon3: "pycon",
  golang: "go",
  "c++": "cpp",
};
/** How far up a page may say what language a block is in. */
const ANCESTORS = 4;

/** The language of a `pre`, as its classes or those around it name it; empty if none does. */
export function languageOf(pre: DomElement): string {
  const inner = pre.querySelector("code");
  const candidates = inner ? [inner, pre] : [pre];
  let up = pre.parentNode;
  for (let level = 0; isElement(up) && level < ANCESTORS; level++, up = up.parentNode) candidates.push(up);
  for (const element of candidates) {
    const named = element.getAttribute("data-lang") ?? element.getAttribute("data-language");
    const found = named ?? LANGUAGE.exec(element.getAttribute("class") ?? "")?.[1];
    if (found && /^[\w+#.-]{1,24}$/.test(found)) {
      const language = found.toLowerCase();
      return NO_LANGUAGE.test(language)
        ? ""
        : Object.hasOwn(ALIASES, language)
          ? ALIASES[language]!
          : language;
    }
  }
  return "";
}
