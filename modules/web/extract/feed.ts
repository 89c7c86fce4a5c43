// RSS 2.0, RSS 1.0 and Atom as a list of entries.

import type { Extracted } from "../document.ts";
import { elementsIn, lineOf, parseXml, type DomElement } from "./html/dom.ts";
import { escapeLineStart, escapeTarget } from "./html/escape.ts";
import { linkTarget, placeOf } from "./html/links.ts";
import { readFragment } from "./html/page.ts";

/** What may stand before the root element. */
const PROLOG = /^(?:\s|<\?[^>]*>|<!--[^]*?-->|<!DOCTYPE[^>[]*(?:\[[^\]]*\]\s*)?>)*/;
const FEED = /^<(?:rss|feed|rdf:RDF)[\s>]/;

/** `undefined` if `xml` is no feed. */
export function readFeed(xml: string, url: string): Extracted | undefined {
  const document = xml.slice(PROLOG.exec(xml)![0].length);
  const root = FEED.test(document) ? parseXml(document) : undefined;
  if (!root) return undefined;
  const channel = child(root, "channel") ?? root;
  const base = placeOf(url, root.getAttribute("xml:base")).base;
  const title = lineOf(child(channel, "title"));
  const about = lineOf(child(channel, "description", "subtitle"));
  const entries = [...elementsIn(channel), ...elementsIn(root)].filter(({ localName }) =>
    /^(?:item|entry)$/.test(localName),
  );
  const parts = [
    title && `# ${title}`,
    about && escapeLineStart(about),
    ...[...new Set(entries)].map((entry) => entryText(entry, base)),
  ];
  return {
    title,
    text: parts.filter(Boolean).join("\n\n"),
    remarks: [`A feed with ${count(new Set(entries).size)}.`],
  };
}

function count(entries: number): string {
  return entries === 1 ? "1 entry" : `${entries} entries`;
}

function entryText(entry: DomElement, base: string): string {
  const title =
    readFragment(child(entry, "title")?.textContent ?? "", base).replace(/\s+/g, " ") || "(no title)";
  const link = linkOf(entry, base);
  const date = dateOf(lineOf(child(entry, "pubDate", "published", "updated", "dc:date")));
  const author =
    lineOf(child(child(entry, "author") ?? entry, "name", "dc:creator")) || lineOf(child(entry, "author"));
  const heading = `## ${link ? `[${title}](${escapeTarget(link)})` : title}`;
  return [heading, [date, author].filter(Boolean).join(" · "), contentOf(entry, link ?? base)]
    .filter(Boolean)
    .join("\n\n");
}

/** The fullest text there is. */
function contentOf(entry: DomElement, base: string): string {
  const content = child(entry, "content:encoded", "content", "description", "summary");
  if (!content) return "";
  if (content.getAttribute("type") === "xhtml") return readFragment(content.innerHTML, base);
  const text = content.textContent ?? "";
  return content.getAttribute("type") === "text" ? escapeLineStart(text.trim()) : readFragment(text, base);
}

function linkOf(entry: DomElement, base: string): string | undefined {
  const links = elementsIn(entry).filter(({ localName }) => localName === "link");
  const link = links.find((one) => /^(?:alternate)?$/.test(one.getAttribute("rel") ?? "")) ?? links[0];
  const guid = child(entry, "guid");
  const permalink = guid && guid.getAttribute("isPermaLink") !== "false" ? lineOf(guid) : "";
  return linkTarget(link?.getAttribute("href") || lineOf(link) || permalink, { url: "", base });
}

/** The first child with the first of `names` that there is. */
function child(element: DomElement, ...names: readonly string[]): DomElement | undefined {
  const children = elementsIn(element);
  for (const name of names) {
    const found = children.find(({ localName }) => localName === name);
    if (found) return found;
  }
  return undefined;
}

function dateOf(written: string): string {
  const time = Date.parse(written);
  return Number.isNaN(time) ? written : `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
