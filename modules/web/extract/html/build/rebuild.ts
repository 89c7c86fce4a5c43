// The page again, in the few elements that Markdown knows: what is hidden or belongs to the site is gone, links are absolute,
// tables are rectangles, code is text.

import { BLOCK_BUILDERS } from "./block.ts";
import { INLINE_BUILDERS } from "./inline.ts";
import { TABLE_BUILDERS } from "./table.ts";
import { appendText, type Build, type Builder } from "./build.ts";
import { isFurniture, isHidden } from "../clutter.ts";
import { childrenOf, isElement, isText, lineOf, emptyPage, type DomDocument, type DomNode } from "../dom.ts";
import { frame, isFrame } from "../frames.ts";
import type { Place } from "../links.ts";

const BUILDERS = new Map<string, Builder>([...INLINE_BUILDERS, ...BLOCK_BUILDERS, ...TABLE_BUILDERS]);

/** `content` leaves out what belongs to the site rather than to the page. */
export type Keep = "content" | "everything";

export function rebuild(source: DomDocument, place: Place, keep: Keep): DomDocument {
  const out = emptyPage();
  const length = source.body.textContent?.length ?? 0;
  const skips = (node: DomNode): boolean =>
    isElement(node) && (isHidden(node, length) || (keep === "content" && isFurniture(node)));
  const build: Build = {
    out,
    place,
    blocks: 0,
    inLine: 0,
    inCell: 0,
    inBox: 0,
    inIndent: 0,
    marks: new Set(),
    tabs: tabsOf(source),
    children(from, into) {
      for (const node of childrenOf(from)) {
        if (isText(node)) appendText(build, node.data, into);
        if (!isElement(node) || skips(node)) continue;
        const builder = isFrame(node) ? frame : BUILDERS.get(node.localName);
        if (builder) builder(build, node, into);
        else build.children(node, into);
      }
    },
  };
  build.children(source.body, out.body);
  return out;
}

function tabsOf(source: DomDocument): ReadonlyMap<string, string> {
  const tabs = new Map<string, string>();
  for (const tab of source.querySelectorAll("[role=tab][id]"))
    tabs.set(tab.getAttribute("id") ?? "", lineOf(tab));
  return tabs;
}
