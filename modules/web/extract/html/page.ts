import type { Extracted } from "../../document.ts";
import { isInFrame, leftOutFrames, ownText } from "./frames.ts";
import { ancestorIn, lineOf, type DomDocument, type DomElement } from "./dom.ts";
import { placeOf, type Place } from "./links.ts";
import { toMarkdown } from "./markdown.ts";
import { mainContent } from "./main-content.ts";
import { rebuild } from "./build/rebuild.ts";
import { parsePage, type Source } from "./parse.ts";

/** Readability is trusted if it keeps at least this share of a page; of lists and indexes it keeps next to nothing. */
const MIN_SHARE = 0.3;
/** Below this share the reader is told that there is more. */
const TOLD_SHARE = 0.8;

export interface PageSource extends Source {
  readonly url: string;
}

/** A page of HTML as Markdown: its main content if there is one, else all but what belongs to the site. */
export function readHtml(page: PageSource): Extracted {
  const source = parsePage(page);
  const place = placeOf(page.url, ownPart(source, "base")?.getAttribute("href"));
  const { text, remarks } = contentOf(source, place);
  const title = titleOf(source);
  return { title, text: headed(text, title), remarks };
}

/** `text` with `title` as a heading of the first level, unless there is one; a lower one that says the same is raised. */
function headed(text: string, title: string): string {
  if (/^# /m.test(text) || !title) return text;
  const first = /^#{2,6} (.+)$/m.exec(text);
  if (first && plain(first[1]!) === title) return text.replace(first[0], () => `# ${first[1]}`);
  return `# ${title}\n\n${text}`.trim();
}

/** A heading without its link and emphasis. */
function plain(markdown: string): string {
  return markdown.replace(/^\[(.*)\]\([^()\s]*\)$/, "$1").replaceAll("*", "");
}

/** A piece of HTML that is no page of its own, such as the text of an entry in a feed. */
export function readFragment(html: string, base: string): string {
  const source = parsePage({ html, frames: [], scripts: "not run" });
  return toMarkdown(rebuild(source, { url: "", base }, "everything").body);
}

function contentOf(source: DomDocument, place: Place): { text: string; remarks: readonly string[] } {
  const whole = rebuild(source, place, "content");
  const length = lengthOf(whole.body.textContent);
  if (length === 0) return { text: toMarkdown(rebuild(source, place, "everything").body), remarks: [] };
  const main = mainContent(whole, () => rebuild(source, place, "content"));
  if (!main || lengthOf(ownText(main)) < lengthOf(ownText(whole.body)) * MIN_SHARE)
    return { text: toMarkdown(whole.body), remarks: [] };
  const share = lengthOf(main.textContent) / length;
  const leftOut = leftOutFrames(whole.body, main);
  const remarks =
    share < TOLD_SHARE
      ? [`Only the main content is shown, about ${Math.round(share * 100)} % of the page's text.`]
      : [];
  return { text: [toMarkdown(main), ...leftOut].join("\n\n"), remarks };
}

function lengthOf(text: string | null): number {
  return (text ?? "").replace(/\s+/g, "").length;
}

const DRAWING = new Set(["svg"]);

/** The first that speaks for the page, not for a frame or a drawing in it. */
function ownPart(source: DomDocument, name: string): DomElement | undefined {
  const parts = [...source.querySelectorAll(name)];
  return parts.find((element) => !ancestorIn(element, DRAWING) && !isInFrame(element));
}

/** What the page calls itself, without the name of the site if its headline says the same without it. */
function titleOf(source: DomDocument): string {
  const title = lineOf(ownPart(source, "title"));
  for (const heading of source.querySelectorAll("h1, h2")) {
    const line = lineOf(heading).replace(/\s*[¶#§]$/, "");
    if (line.length >= title.length / 4 && title.includes(line)) return line;
  }
  return title;
}
