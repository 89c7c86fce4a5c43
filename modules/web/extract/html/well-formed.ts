// Recursion over a tree of linkedom has no bound. What it is given is therefore always well formed, at most so deep, and without
// anything that no later stage reads.

import { scan, type Token } from "./scan.ts";
import { barrierOf, endingsOf, isFrameName, RAW_TEXT, VOID } from "./tags.ts";

/** How deep elements may be nested; what lies deeper keeps its text and loses its tags. */
const MAX_DEPTH = 200;
const MAX_ATTRIBUTE = 4000;
const MAX_CLASS = 400;

const ATTRIBUTES: ReadonlySet<string> = new Set(
  (
    "alt alttext aria-controls aria-hidden aria-label aria-labelledby aria-modal border checked class colspan content data-frame data-lang " +
    "data-language display encoding height hidden href http-equiv id name open rel role rowspan shadowrootmode src start " +
    "style title type value width"
  ).split(" "),
);
const HEADING = /^h[1-6]$/;
const OUTER: ReadonlySet<string> = new Set(["html", "head", "body"]);
/** Raw text that is for reading. */
const READ: ReadonlySet<string> = new Set(["title", "xmp", "plaintext"]);

export interface Source {
  readonly html: string;
  /** After scripts ran, what is meant for readers without them, or without frames, is not part of the page. */
  readonly scripts: "ran" | "not run";
}

/** The same page as one `html` with a `head` that holds at most a title, a base and a refresh, and a `body`. */
export function wellFormed({ html, scripts }: Source): string {
  const raw = scripts === "ran" ? new Set([...RAW_TEXT, "noframes", "noscript"]) : RAW_TEXT;
  const page: Page = { head: [], body: [], open: [], dropped: [] };
  for (const token of scan(html, ATTRIBUTES, raw)) take(page, token, raw);
  closeTo(page, 0);
  return `<!DOCTYPE html><html><head>${page.head.join("")}</head><body>${page.body.join("")}</body></html>`;
}

interface Page {
  readonly head: string[];
  readonly body: string[];
  /** Names of the open elements, outermost first. */
  readonly open: string[];
  /** Of those that were too deep. */
  readonly dropped: string[];
}

function take(page: Page, token: Token, raw: ReadonlySet<string>): void {
  if (token.kind === "text") {
    const inside = page.open.at(-1) ?? "";
    if (!raw.has(inside)) page.body.push(token.text);
    else if (READ.has(inside)) page.body.push(token.text.replaceAll("<", "&lt;"));
  } else if (token.kind === "close") {
    close(page, token.name);
  } else if (!OUTER.has(token.name)) {
    open(page, token);
  }
}

function open(page: Page, { name, attributes, closed }: Token & { kind: "open" }): void {
  const isHeadOnly = name === "base" || name === "meta" || name === "link";
  // It speaks for the frame, not for the page.
  if (isHeadOnly && page.open.some(isFrameName)) return;
  if (name === "base" || (name === "meta" && /^refresh$/i.test(attributes.get("http-equiv") ?? ""))) {
    page.head.push(`<${name}${written(attributes)}>`);
    return;
  }
  if (name === "meta" || name === "link") return;
  for (const { ends, within } of endingsOf(name)) {
    const index = page.open.findLastIndex(
      (other) => ends.has(other) || within.has(other) || isFrameName(other),
    );
    if (index >= 0 && ends.has(page.open[index]!)) closeTo(page, index);
  }
  if (VOID.has(name)) page.body.push(`<${name}${written(attributes)}>`);
  else if (page.open.length >= MAX_DEPTH) page.dropped.push(name);
  else {
    page.body.push(`<${name}${written(attributes)}>`);
    page.open.push(name);
    if (closed && isForeign(page)) closeTo(page, page.open.length - 1);
  }
}

/** In SVG and MathML, a slash at its end closes a tag. */
function isForeign({ open: names }: Page): boolean {
  return names.includes("svg") || names.includes("math");
}

function close(page: Page, name: string): void {
  if (page.dropped.at(-1) === name) {
    page.dropped.pop();
    return;
  }
  const barrier = barrierOf(name);
  const isMeant = (other: string): boolean => other === name || (HEADING.test(name) && HEADING.test(other));
  const index = page.open.findLastIndex(
    (other) => isMeant(other) || barrier.has(other) || isFrameName(other),
  );
  if (index >= 0 && isMeant(page.open[index]!)) closeTo(page, index);
  else if (name === "br") page.body.push("<br>");
}

function closeTo(page: Page, depth: number): void {
  page.dropped.length = 0;
  while (page.open.length > depth) page.body.push(`</${page.open.pop()}>`);
}

function written(attributes: ReadonlyMap<string, string>): string {
  let text = "";
  for (const [name, value] of attributes) {
    if (value.length > (name === "class" ? MAX_CLASS : MAX_ATTRIBUTE)) continue;
    text += ` ${name}="${value.replaceAll('"', "&quot;").replaceAll("<", "&lt;")}"`;
  }
  return text;
}
