// What stands in a frame was written by somebody else than the page around it, and is always shown as that.

import { append, appendText, type Builder } from "./build/build.ts";
import { escapeText } from "./escape.ts";
import { childrenOf, isElement, lineOf, type DomElement, type DomNode } from "./dom.ts";

/** No page has such an attribute of its own. */
export const FRAME_ADDRESS = "data-frame";
const MAX_ADDRESS = 200;

/** Below this length a frame that is left out is not worth a line. */
const MIN_LENGTH = 200;

export function isFrame(node: DomNode): boolean {
  return isElement(node) && node.hasAttribute(FRAME_ADDRESS);
}

/** The content of a frame, between a line that says whose it is and one that says where it ends. */
export const frame: Builder = (build, from, into) => {
  build.blocks++;
  const content = build.out.createElement("div");
  build.children(from, content);
  if (!lineOf(content)) return;
  const address = addressOf(from);
  append(build, "div", into, (made) => {
    made.setAttribute(FRAME_ADDRESS, address);
    append(build, "p", made, (line) => appendText(build, `(From a frame of ${address}:)`, line));
    made.appendChild(content);
    append(build, "p", made, (line) => appendText(build, "(End of the frame.)", line));
  });
};

function addressOf(element: DomElement): string {
  return (element.getAttribute(FRAME_ADDRESS) ?? "").replace(/\s+/g, " ").slice(0, MAX_ADDRESS);
}

export function framesIn(element: DomElement): readonly DomElement[] {
  return [...element.querySelectorAll(`[${FRAME_ADDRESS}]`)];
}

export function isInFrame(element: DomElement): boolean {
  for (let up = element.parentNode; up; up = up.parentNode) if (isFrame(up)) return true;
  return false;
}

/** The text of `node` without that of the frames in it. */
export function ownText(node: DomNode): string {
  return childrenOf(node)
    .map((child) => (isFrame(child) ? "" : isElement(child) ? ownText(child) : (child.textContent ?? "")))
    .join("");
}

/** A line for each frame of `page` that has something to read and is no part of `shown`. */
export function leftOutFrames(page: DomElement, shown: DomElement): readonly string[] {
  const kept = new Set(framesIn(shown));
  return framesIn(page)
    .filter((left) => !kept.has(left) && !isInFrame(left) && lineOf(left).length >= MIN_LENGTH)
    .map((left) => `(Left out: a frame of ${escapeText(addressOf(left))})`);
}
