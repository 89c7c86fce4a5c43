import { isElement, isText, type DomDocument, type DomElement } from "../dom.ts";
import { escapeLineStart, escapeText } from "../escape.ts";
import type { Place } from "../links.ts";

/** One page on its way from its own elements to the few that Markdown knows. */
export interface Build {
  readonly out: DomDocument;
  readonly place: Place;
  /** Appends what stands in `from` to `into`. */
  children(from: DomElement, into: DomElement): void;
  /** How many blocks there are so far: comparing shows whether something holds any. */
  blocks: number;
  /** How many headings and table cells we are in: nothing there begins a line. */
  inLine: number;
  inCell: number;
  /** How many boxes, such as `div`, we are in. */
  inBox: number;
  /** How many lists and quotes we are in: each one indents. */
  inIndent: number;
  /** The kinds of emphasis that we are in. */
  readonly marks: Set<string>;
  /** The names of tabs, by their id. */
  readonly tabs: ReadonlyMap<string, string>;
}

/** Appends what becomes of `from` to `into`. */
export type Builder = (build: Build, from: DomElement, into: DomElement) => void;

/** A new element in `into`, with what `fill` puts there; gone again if that is nothing. */
export function append(
  build: Build,
  name: string,
  into: DomElement,
  fill: (element: DomElement) => void,
): DomElement | undefined {
  const element = build.out.createElement(name);
  into.appendChild(element);
  fill(element);
  if (element.firstChild) return element;
  element.remove();
  return undefined;
}

export function appendText(build: Build, text: string, into: DomElement): void {
  const plain = escapeText(text.replace(/[\s\u00a0]+/g, " "));
  const written = build.inLine === 0 && beginsLine(into) ? escapeLineStart(plain.trimStart()) : plain;
  if (written) appendRaw(build, written, into);
}

/** Turndown matches every text with an expression that needs a stack as deep as the text is long. */
const MAX_TEXT = 4000;

/** `text` as it is, such as code; in few pieces if it comes in many, and in several if it is long. */
export function appendRaw({ out }: Build, text: string, into: DomElement): void {
  let rest = text;
  const last = into.lastChild;
  if (last && isText(last) && last.data.length + text.length <= MAX_TEXT) {
    last.data += text;
    return;
  }
  for (; rest.length > MAX_TEXT; rest = rest.slice(MAX_TEXT))
    into.appendChild(out.createTextNode(rest.slice(0, MAX_TEXT)));
  if (rest) into.appendChild(out.createTextNode(rest));
}

const INLINE = new Set(["a", "strong", "em", "code", "del", "math"]);

function beginsLine(into: DomElement): boolean {
  const last = into.lastChild;
  if (INLINE.has(into.localName)) return false;
  return !last || (isElement(last) && !INLINE.has(last.localName));
}
