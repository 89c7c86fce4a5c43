// As much of the DOM as the stages here use; the types of the libraries name those of browsers, which Node has not.

import { DOMParser } from "linkedom";

export interface DomNode {
  /** 1 element, 3 text. */
  readonly nodeType: number;
  readonly parentNode: DomElement | null;
  readonly firstChild: DomNode | null;
  readonly lastChild: DomNode | null;
  readonly nextSibling: DomNode | null;
  readonly textContent: string | null;
}

export interface DomText extends DomNode {
  data: string;
}

export interface DomElement extends DomNode {
  /** In lower case. */
  readonly localName: string;
  readonly innerHTML: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  hasAttribute(name: string): boolean;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
  appendChild(node: DomNode): void;
  remove(): void;
}

export interface DomDocument {
  readonly head: DomElement;
  readonly body: DomElement;
  createElement(name: string): DomElement;
  createTextNode(text: string): DomText;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
}

export function emptyPage(): DomDocument {
  const html = "<!DOCTYPE html><html><head></head><body></body></html>";
  return new DOMParser().parseFromString(html, "text/html") as never;
}

/** `undefined` if it is not XML that any reader would take. */
export function parseXml(xml: string): DomElement | undefined {
  const document: { documentElement: DomElement | null } = new DOMParser().parseFromString(
    xml,
    "text/xml",
  ) as never;
  return document.documentElement ?? undefined;
}

export function isElement(node: DomNode | null | undefined): node is DomElement {
  return node?.nodeType === 1;
}

export function isText(node: DomNode): node is DomText {
  return node.nodeType === 3;
}

/** In order. The list stays as it is while nodes are moved. */
export function childrenOf(node: DomNode): readonly DomNode[] {
  const children: DomNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

export function elementsIn(node: DomNode): readonly DomElement[] {
  return childrenOf(node).filter(isElement);
}

/** Its text in one line. */
export function lineOf(node: DomNode | null | undefined): string {
  return (node?.textContent ?? "").replace(/\s+/g, " ").trim();
}

/** The nearest of its ancestors, itself left out, that `names` has. */
export function ancestorIn(element: DomElement, names: ReadonlySet<string>): DomElement | undefined {
  for (let up = element.parentNode; up; up = up.parentNode) if (names.has(up.localName)) return up;
  return undefined;
}

export function moveChildren(from: DomElement, to: DomElement): void {
  for (const child of childrenOf(from)) to.appendChild(child);
}
