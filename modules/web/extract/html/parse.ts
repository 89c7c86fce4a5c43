// A page as a tree, built as the HTML standard says, without anything that no later stage reads.

import { parse, type DefaultTreeAdapterTypes } from "parse5";
import type { Framed } from "../../document.ts";
import { emptyPage, type DomDocument, type DomElement } from "./dom.ts";
import { FRAME_ADDRESS } from "./frames.ts";

type Node = DefaultTreeAdapterTypes.ChildNode;

/** How deep elements may be nested, as all that follows is recursive; what lies deeper keeps its text and loses its tags. */
const MAX_DEPTH = 200;
const MAX_ATTRIBUTE = 4000;
const MAX_CLASS = 400;

const ATTRIBUTES: ReadonlySet<string> = new Set(
  (
    "alt alttext aria-controls aria-hidden aria-label aria-labelledby aria-modal border checked class colspan data-lang " +
    "data-language display encoding height hidden href id name open rel role rowspan shadowrootmode src start style title " +
    "type value width"
  ).split(" "),
);
const OUTER: ReadonlySet<string> = new Set(["html", "head", "body"]);
/** Elements, or only their content. */
const UNREAD: ReadonlySet<string> = new Set(["link", "meta", "noembed", "script", "style"]);
const REPLACED: ReadonlySet<string> = new Set(["iframe", "textarea"]);

export interface Source extends Pick<Framed, "html" | "frames"> {
  /** After scripts ran, what is meant for readers without them, or without frames, is not part of the page. */
  readonly scripts: "ran" | "not run";
}

/** Where nodes are copied to. */
interface Place {
  readonly into: DomElement;
  readonly depth: number;
  /** By the comments that stand for them; each is shown once. */
  readonly frames: Map<string, Framed | undefined>;
}

/** All of it stands in the body, also what had a head of its own. */
export function parsePage({ scripts, ...source }: Source): DomDocument {
  const page = emptyPage();
  const pending: (Place & { readonly node: Node })[] = [];

  function parseInto(
    into: DomElement,
    depth: number,
    { html, frames }: Pick<Framed, "html" | "frames">,
  ): void {
    const { childNodes } = parse(html, { scriptingEnabled: scripts === "ran" });
    addAll(childNodes, {
      into,
      depth,
      frames: new Map(frames.map((framed, index) => [String(index), framed])),
    });
  }

  function addAll(nodes: readonly Node[], place: Place): void {
    for (const node of nodes.toReversed()) pending.push({ ...place, node });
  }

  function addFrame(comment: string, { into, depth, frames }: Place): void {
    const framed = frames.get(comment);
    frames.delete(comment);
    if (!framed) return;
    const made = page.createElement("div");
    made.setAttribute(FRAME_ADDRESS, framed.url);
    into.appendChild(made);
    parseInto(made, depth + 1, framed);
  }

  function addElement(node: DefaultTreeAdapterTypes.Element, place: Place): void {
    const { into, depth } = place;
    const { tagName: name } = node;
    // A template has a page of its own, but not in a drawing or a formula.
    const { childNodes: children } = (node as Partial<DefaultTreeAdapterTypes.Template>).content ?? node;
    if (OUTER.has(name) || depth >= MAX_DEPTH) return addAll(children, place);
    const made = page.createElement(name);
    for (const { name: attribute, value } of node.attrs) {
      if (value.length > (attribute === "class" ? MAX_CLASS : MAX_ATTRIBUTE)) continue;
      if (ATTRIBUTES.has(attribute)) made.setAttribute(attribute, value);
    }
    into.appendChild(made);
    if (!REPLACED.has(name)) addAll(children, { ...place, into: made, depth: depth + 1 });
  }

  parseInto(page.body, 0, source);
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { node } = next;
    if ("value" in node) next.into.appendChild(page.createTextNode(node.value));
    else if ("data" in node) addFrame(node.data, next);
    else if ("tagName" in node && !UNREAD.has(node.tagName)) {
      if (!isForOthers(node, scripts)) addElement(node, next);
      else if (scripts === "not run") parseInto(next.into, next.depth, { html: textOf(node), frames: [] });
    }
  }
  return page;
}

/** What the parser of today's browsers takes for text. */
function isForOthers({ tagName }: DefaultTreeAdapterTypes.Element, scripts: Source["scripts"]): boolean {
  return tagName === "noframes" || (tagName === "noscript" && scripts === "ran");
}

function textOf({ childNodes }: DefaultTreeAdapterTypes.Element): string {
  return childNodes.map((child) => ("value" in child ? child.value : "")).join("");
}
