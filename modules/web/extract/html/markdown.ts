// Markdown of a rebuilt page. Turndown walks the tree and minds white space; the rules are ours.

import Turndown from "turndown";
import { elementsIn, type DomElement } from "./dom.ts";
import { escapeTarget } from "./escape.ts";
import { tidyLines } from "../tidy.ts";

type Rule = (content: string, element: DomElement) => string;

const heading: Rule = (content, { localName }) => {
  const text = content.replace(/\s+/g, " ").trim();
  return text ? `\n\n${"#".repeat(Number(localName[1]))} ${text}\n\n` : "";
};

const quote: Rule = (content) => {
  const text = tidyLines(content);
  return text ? `\n\n${text.replace(/^(?=.)/gm, "> ").replace(/^$/gm, ">")}\n\n` : "";
};

const list: Rule = (content, { parentNode }) => {
  const isNested = parentNode?.localName === "li";
  return isNested ? `\n${trimLines(content)}\n` : `\n\n${trimLines(content)}\n\n`;
};

const item: Rule = (content, element) => {
  const isNumbered = element.parentNode?.localName === "ol";
  const mark = isNumbered ? `${element.getAttribute("data-number") ?? "1"}. ` : "- ";
  const text = tidyLines(content).replace(/\n(?=[^\n])/g, `\n${" ".repeat(mark.length)}`);
  return text ? `${mark}${text}\n` : "";
};

const fence: Rule = (_, element) => {
  const code = element.textContent ?? "";
  const marks = "`".repeat(Math.max(3, longestRun(code, /`{3,}/g) + 1));
  return `\n\n${marks}${element.getAttribute("data-language") ?? ""}\n${code}\n${marks}\n\n`;
};

const code: Rule = (_, element) => {
  const text = element.textContent ?? "";
  if (!text.trim()) return "";
  const marks = "`".repeat(longestRun(text, /`+/g) + 1);
  const space = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return marks + space + text + space + marks;
};

const link: Rule = (content, element) => {
  const target = element.getAttribute("href") ?? "";
  const text = content.replace(/\s+/g, " ").trim();
  if (!text || !target) return text;
  if (text === target || `mailto:${text}` === target || `tel:${text}` === target) return text;
  return `[${text}](${escapeTarget(target)})`;
};

const wrap =
  (mark: string): Rule =>
  (content) =>
    content.trim() ? mark + content.trim() + mark : "";

const cell: Rule = (content) => {
  const text = tidyLines(content).replace(/\n+/g, "<br>").replaceAll("|", "\\|");
  return text ? ` ${text} |` : " |";
};

const row: Rule = (content, element) => {
  const line = `|${content.replaceAll("\n", " ")}\n`;
  if (element.parentNode?.localName !== "thead") return line;
  return `${line}|${" --- |".repeat(elementsIn(element).length)}\n`;
};

const RULES: readonly (readonly [string, Rule])[] = [
  ...["h1", "h2", "h3", "h4", "h5", "h6"].map((name) => [name, heading] as const),
  ...["ul", "ol"].map((name) => [name, list] as const),
  ["li", item],
  ["blockquote", quote],
  ["pre", fence],
  ["code", code],
  ["a", link],
  ["strong", wrap("**")],
  ["em", wrap("*")],
  ["del", wrap("~~")],
  ["math", (_, element) => element.textContent ?? ""],
  ["br", () => "\n"],
  ["hr", () => "\n\n---\n\n"],
  ["td", cell],
  ["th", cell],
  ["tr", row],
  ["thead", (content) => content],
  ["tbody", (content) => content],
  ["table", (content) => `\n\n${content.replace(/\n{2,}/g, "\n")}\n\n`],
];

export function toMarkdown(root: DomElement): string {
  const service = new Turndown();
  service.escape = (text) => text;
  for (const [name, replacement] of RULES) {
    service.addRule(name, { filter: name as never, replacement: replacement as never });
  }
  // Turndown would work on a copy; this tree is read only once.
  return service.turndown(Object.assign(root, { cloneNode: () => root }) as never);
}

function longestRun(text: string, run: RegExp): number {
  let longest = 0;
  for (const [found] of text.matchAll(run)) longest = Math.max(longest, found.length);
  return longest;
}

/** Without the line feeds around it; spaces at its beginning are an indentation. */
function trimLines(text: string): string {
  return text.replace(/^\n+/, "").trimEnd();
}
