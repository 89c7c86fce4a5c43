// Readability finds the main content well and cuts into it badly: lists, notes and tables go missing without a trace. So it is
// asked only where the content is: the smallest part of the page that holds everything it would keep. What stands in frames
// has no part in that: somebody else wrote it.

import { Readability } from "@mozilla/readability";
import { framesIn, ownText } from "./frames.ts";
import type { DomDocument, DomElement } from "./dom.ts";

/** More keep Readability busy for longer than a reader waits. */
const MAX_ELEMENTS = 15_000;
/** Text below this length is no article. */
const MIN_LENGTH = 200;
const MARK = "data-place";

/** The part of `page` that is its main content; `undefined` if none stands out. `again` builds the same page once more. */
export function mainContent(page: DomDocument, again: () => DomDocument): DomElement | undefined {
  if (ownText(page.body).length < MIN_LENGTH) return undefined;
  const elements = [...page.body.querySelectorAll("*")];
  if (elements.length > MAX_ELEMENTS) return undefined;
  const copy = again();
  let place = 0;
  for (const element of copy.body.querySelectorAll("*")) element.setAttribute(MARK, String(place++));
  for (const frame of framesIn(copy.body)) frame.remove();
  const kept = new Readability<DomElement>(copy as never, {
    keepClasses: true,
    disableJSONLD: true,
    serializer: (element) => element as never,
  }).parse()?.content;
  let common: DomElement | undefined;
  for (const element of kept?.querySelectorAll(`[${MARK}]`) ?? []) {
    const original = elements[Number(element.getAttribute(MARK))];
    if (original?.parentNode) common = common ? commonAncestor(common, original) : original;
  }
  return common;
}

function commonAncestor(one: DomElement, other: DomElement): DomElement {
  const ancestors = new Set<DomElement>();
  for (let up: DomElement | null = one; up; up = up.parentNode) ancestors.add(up);
  let up = other;
  while (!ancestors.has(up) && up.parentNode) up = up.parentNode;
  return up;
}
