// What a walk through files finds out: read from the results of actions, written into notes and reports, read again.

import { count } from "../../base/text/wording.ts";
import { PATH, readPath, writePath } from "./paths.ts";
import type { ActionStep } from "./view.ts";

/** One file, or a folder that was not opened. */
export interface FoundFile {
  /** Relative to the surveyed folder; a folder's ends in `/`. */
  readonly path: string;
  /** `12 lines; exports a, b`, or why there is no more to say. */
  readonly says: string;
}

/** The sums of a walk. */
export interface FolderCounts {
  readonly files: number;
  readonly lines: number;
  readonly bytes: number;
  readonly folders: number;
  /** Files that were not read and folders that were not opened. */
  readonly unread: number;
}

export interface Findings extends FolderCounts {
  /** Not all of them, if there are many. */
  readonly found: readonly FoundFile[];
}

/** One line with the sums. */
export function writeCounts({ files, lines, bytes, folders, unread }: FolderCounts): string {
  const sums = [count(files, "file"), count(lines, "line"), count(bytes, "byte"), count(folders, "folder")];
  return `${sums.join(", ")}, ${unread} not read.`;
}

/** The sums, then a line for each thing found; past `maxBytes` of UTF-8 text counted. */
export function writeFindings(findings: Findings, maxBytes: number): string {
  const counts = writeCounts(findings);
  const heading = (folder: string): string => `In ${writePath(folder)}:`;
  return [counts, ...writeFound(findings, { maxBytes: maxBytes - counts.length - 1, heading })].join("\n");
}

export interface Layout {
  readonly maxBytes: number;
  /** Opens what lies in `folder`, which ends in `/`. */
  readonly heading: (folder: string) => string;
}

/** A line for each thing found, under headings: without what it is about if there is no room, and past it counted. */
export function writeFound({ files, found }: Findings, layout: Layout): readonly string[] {
  const full = fitting(found, layout);
  const brief = found.map(({ path, says }) => ({ path, says: says.split("; ", 1)[0]! }));
  const { lines, shown } = full.shown === found.length ? full : fitting(brief, layout);
  const named = found.slice(0, shown).filter(({ path }) => !path.endsWith("/")).length;
  return [...lines, ...(files > named ? [`- and ${count(files - named, "more file")}`] : [])];
}

/** The first that have room, and for one line that counts the rest. */
function fitting(found: readonly FoundFile[], { maxBytes, heading }: Layout) {
  const lines: string[] = [];
  let room = maxBytes - 40;
  let last = "";
  for (const [shown, { path, says }] of found.entries()) {
    const folder = folderOf(path);
    const line = `- ${writePath(path.slice(folder.length))}: ${says}`;
    const next = folder === last ? [line] : [heading(folder), line];
    room -= Buffer.byteLength(next.join("\n")) + 1;
    if (room < 0) return { lines, shown };
    lines.push(...next);
    last = folder;
  }
  return { lines, shown: found.length };
}

/** Ends in `/`; empty for what lies at the top. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/", path.length - 2) + 1);
}

const FOUND = new RegExp(`^- (${PATH}): (.{1,1200})$`);
const HEADING = new RegExp(`^In (${PATH}):$`);
const MAX_LINE = 4_000;
const MAX_LINES = 5_000;

/** What `writeFindings` wrote; lines of any other form are left out. */
export function readFindings(text: string): Findings {
  const [sums = "", ...lines] = text.split("\n", MAX_LINES);
  const sum = (what: string): number =>
    Number(new RegExp(`(?<!\\w)(\\d{1,12}) ${what}\\b`).exec(sums)?.[1] ?? 0);
  let folder = "";
  const found = lines.flatMap((line): FoundFile[] => {
    if (line.length > MAX_LINE) return [];
    const [, heading] = HEADING.exec(line) ?? [];
    if (heading !== undefined) folder = readPath(heading);
    const [, name, says] = FOUND.exec(line) ?? [];
    return name && says ? [{ path: folder + readPath(name), says: clean(says, 600) }] : [];
  });
  return {
    files: sum("files?"),
    lines: sum("lines?"),
    bytes: sum("bytes?"),
    folders: sum("folders?"),
    unread: sum("not read"),
    found,
  };
}

/** Everything in `parts`; what lies in a folder stands together, before what lies in the folders of it. */
export function mergeFindings(parts: readonly Findings[]): Findings {
  const sum = (pick: (part: Findings) => number): number =>
    parts.reduce((total, part) => total + pick(part), 0);
  const sorted = parts
    .flatMap(({ found }) => found)
    .map((one) => ({ one, key: `${folderOf(one.path)}\0${one.path}` }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  return {
    files: sum(({ files }) => files),
    lines: sum(({ lines }) => lines),
    bytes: sum(({ bytes }) => bytes),
    folders: sum(({ folders }) => folders),
    unread: sum(({ unread }) => unread),
    found: sorted.map(({ one }) => one),
  };
}

/** What an `outline` shows, with paths from there on; a text, if it failed, says why. */
export function findingsIn({ result, parameters }: ActionStep): Findings | string {
  const { content, isError } = result;
  const path = String(parameters["path"]);
  if (isError) return `not read, ${reasonIn(content, path)}`;
  const opening = `Outline of ${path}: `;
  return readFindings(content.startsWith(opening) ? content.slice(opening.length) : content);
}

/** What a folder holds; the names of folders end in `/`. */
export interface Entries {
  readonly names: readonly string[];
  /** How many more there are. */
  readonly unnamed: number;
}

/** What a `listDirectory` names, but for what git ignores; a text, if it failed, says why. */
export function entriesOf({ result, parameters }: ActionStep): Entries | string {
  const { content, isError } = result;
  if (isError) return reasonIn(content, String(parameters["path"]));
  const names = content.split("\n").flatMap((line) => {
    const [, name, kind] = /^(.+) \[(file|directory|link|other)\]$/.exec(line) ?? [];
    return name ? [nameOf(name) + (kind === "directory" ? "/" : "")] : [];
  });
  const [, more = 0] = /\n\[(?:at least )?(\d{1,9}) more are not shown\.\]$/.exec(content) ?? [];
  return { names, unnamed: Number(more) };
}

/** Only names that hold something unprintable are shown quoted; any other quotes are part of the name. */
function nameOf(shown: string): string {
  const name = readPath(shown);
  return /[\n\t\\]/.test(name) ? name : shown;
}

/** Why an action on `path` failed, in a few words. */
export function reasonIn(content: string, path: string): string {
  const text = content.startsWith(`${path} `) ? `it${content.slice(path.length)}` : content;
  const [reason = ""] = clean(text.split("\n", 1)[0]!).split(/[.:;](?: |$)/, 1);
  return reason ? reason[0]!.toLowerCase() + reason.slice(1) : "no reason was given";
}

/** One line without anything that a reader or a Markdown page could take for more than text. */
export function clean(text: string, maxChars = 200): string {
  const visible = text
    .slice(0, maxChars * 2)
    .replace(/[\p{C}\s]+/gu, " ")
    .replace(/[`<>]/g, "")
    .trim();
  return visible.length > maxChars ? `${visible.slice(0, maxChars)}...` : visible;
}
