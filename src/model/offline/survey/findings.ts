// What a walk through files finds out: read from the results of actions, written into notes and reports, read again.

import { count } from "../../../base/wording.ts";
import { PATH, readPath, writePath } from "../paths.ts";
import { remember, type ActionStep } from "../prompt-reader.ts";

/** One file, or a folder that was not opened. */
export interface FoundFile {
  /** Relative to the surveyed folder; a folder's ends in `/`. */
  readonly path: string;
  /** `12 lines, 340 bytes`, or why there is no more to say. */
  readonly size: string;
  /** `exports a, b`; may be empty. */
  readonly about: string;
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

const UNITS = ["file", "line", "byte", "folder"] as const;

/** One line with the sums. */
export function writeCounts({ files, lines, bytes, folders, unread }: FolderCounts): string {
  // How many bytes a file has is not always known.
  const sums = [files, lines, bytes || undefined, folders].map(
    (sum, at) => sum !== undefined && count(sum, UNITS[at]!),
  );
  return `${[...sums, `${unread} not read`].filter(Boolean).join(", ")}.`;
}

/**
 * The sums, then a line for each thing found: without what it is about if there is no room, and past `maxBytes` of
 * UTF-8 text counted.
 */
export function writeFindings(findings: Findings, maxBytes: number): string {
  const counts = writeCounts(findings);
  const room = maxBytes - counts.length - 1;
  const full = writeFound(findings, { maxBytes: room, heading: (folder) => `In ${writePath(folder)}:` });
  return [counts, ...full].join("\n");
}

export interface Layout {
  readonly maxBytes: number;
  /** Opens what lies in `folder`, which ends in `/`. */
  readonly heading: (folder: string) => string;
}

/** A line for each thing found, under headings; as `writeFindings`. */
export function writeFound({ files, found }: Findings, { maxBytes, heading }: Layout): readonly string[] {
  const full = fitting(found, { maxBytes, heading }, ({ about }) => about && `; ${about}`);
  const { lines, shown } =
    full.shown === found.length ? full : fitting(found, { maxBytes, heading }, () => "");
  const named = found.slice(0, shown).filter(({ path }) => !path.endsWith("/")).length;
  return [...lines, ...(files > named ? [`- and ${count(files - named, "more file")}`] : [])];
}

/** The first that have room, and for one line that counts the rest. */
function fitting(
  found: readonly FoundFile[],
  { maxBytes, heading }: Layout,
  more: (one: FoundFile) => string,
) {
  const lines: string[] = [];
  let room = maxBytes - 40;
  let last = "";
  for (const [shown, one] of found.entries()) {
    const folder = folderOf(one.path);
    const line = `- ${writePath(one.path.slice(folder.length))}: ${one.size}${more(one)}`;
    const next = [...(folder === last ? [] : [heading(folder)]), line];
    room -= next.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
    if (room < 0) return { lines, shown };
    lines.push(...next);
    last = folder;
  }
  return { lines, shown: found.length };
}

/** Ends in `/`; empty for what lies at the top. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/", path.length - 2) + 1);
}

const FOUND = new RegExp(`^- (${PATH}): ([^;]{1,200})(?:; (.{0,1000}))?$`);
const HEADING = new RegExp(`^In (${PATH}):$`);
const MAX_LINE = 4_000;
const MAX_LINES = 5_000;

/** What `writeFindings` wrote; lines of any other form are left out. */
export function readFindings(text: string): Findings {
  const [sums = "", ...lines] = text.split("\n", MAX_LINES);
  let folder = "";
  const found = lines.flatMap((line): FoundFile[] => {
    if (line.length > MAX_LINE) return [];
    const [, heading] = HEADING.exec(line) ?? [];
    if (heading !== undefined) folder = readPath(heading);
    const [, name, size, about = ""] = FOUND.exec(line) ?? [];
    if (name === undefined || size === undefined) return [];
    return [{ path: folder + readPath(name), size: clean(size), about: clean(about) }];
  });
  const [files, lineCount, bytes, folders] = UNITS.map((unit) => numberBefore(`${unit}s?`, sums) ?? 0);
  const unread = numberBefore("not read", sums) ?? 0;
  return { files: files!, lines: lineCount!, bytes: bytes!, folders: folders!, unread, found };
}

/** Everything in `parts`, by path. */
export function mergeFindings(parts: readonly Findings[]): Findings {
  const sum = (pick: (part: Findings) => number): number =>
    parts.reduce((total, part) => total + pick(part), 0);
  return {
    files: sum(({ files }) => files),
    lines: sum(({ lines }) => lines),
    bytes: sum(({ bytes }) => bytes),
    folders: sum(({ folders }) => folders),
    unread: sum(({ unread }) => unread),
    found: sortByPath(parts.flatMap(({ found }) => found)),
  };
}

/** What lies in a folder stands together, before what lies in the folders of it. */
function sortByPath(found: readonly FoundFile[]): readonly FoundFile[] {
  const keyed = found.map((one) => ({ one, folder: folderOf(one.path) }));
  const sorted = keyed.toSorted((a, b) => compare(a.folder, b.folder) || compare(a.one.path, b.one.path));
  return sorted.map(({ one }) => one);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What an `outline` shows, with paths from there on; a text, if it failed, says why. */
export const findingsIn = remember(
  ({ result: { content, isError }, parameters }: ActionStep): Findings | string => {
    const path = String(parameters["path"]);
    if (isError) return reasonIn(content, path);
    const opening = `Outline of ${path}: `;
    return readFindings(content.startsWith(opening) ? content.slice(opening.length) : content);
  },
);

/** What a folder holds; the names of folders end in `/`. */
export interface Entries {
  readonly names: readonly string[];
  /** How many more there are. */
  readonly unnamed: number;
}

/** What a `listDirectory` names, but for what git ignores; a text, if it failed, says why. */
export const entriesOf = remember((step: ActionStep): Entries | string => {
  const { content, isError } = step.result;
  if (isError) return reasonIn(content, String(step.parameters["path"]));
  const lines = content.split("\n");
  const names = lines.flatMap((line) => {
    const entry = /^(.+) \[(file|directory|link|other)\]$/.exec(line);
    return entry ? [nameOf(entry[1]!) + (entry[2] === "directory" ? "/" : "")] : [];
  });
  const more = /^\[(?:at least )?(\d{1,9}) more are not shown\.\]$/.exec(lines.at(-1)!);
  return { names, unnamed: Number(more?.[1] ?? 0) };
});

/** Only names that hold something unprintable are shown quoted; any other quotes are part of the name. */
function nameOf(shown: string): string {
  const name = readPath(shown);
  return /[\n\t\\]/.test(name) ? name : shown;
}

/** Why an action on `path` failed, in a few words. */
export function reasonIn(content: string, path: string): string {
  const text = content.startsWith(`${path} `) ? `it${content.slice(path.length)}` : content;
  const [line = ""] = text.split("\n", 1);
  const [reason = ""] = clean(line).split(/[.:;](?: |$)/, 1);
  return reason ? reason[0]!.toLowerCase() + reason.slice(1) : "no reason was given";
}

function numberBefore(unit: string, text: string): number | undefined {
  const match = new RegExp(`(?<!\\w)(\\d{1,12}) ${unit}\\b`).exec(text);
  return match ? Number(match[1]) : undefined;
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
