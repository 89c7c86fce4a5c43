// What a walk through files finds out: read from the results of actions, written into notes and reports, read again.

import { PATH, readPath, writePath } from "./offline-paths.ts";
import { remember, type Step } from "./offline-view.ts";

/** One file, or a folder that was not opened. */
export interface Found {
  /** Relative to the surveyed folder; a folder's ends in `/`. */
  readonly path: string;
  /** `12 lines, 340 bytes`, or why there is no more to say. */
  readonly size: string;
  /** `exports a, b`; may be empty. */
  readonly about: string;
}

export interface Findings {
  readonly files: number;
  readonly lines: number;
  readonly bytes: number;
  readonly folders: number;
  /** Files that were not read and folders that were not opened. */
  readonly unread: number;
  /** Not all of them, if there are many. */
  readonly found: readonly Found[];
}

const UNITS = ["file", "line", "byte", "folder"] as const;

/** One line with the sums. */
export function writeCounts({ files, lines, bytes, folders, unread }: Omit<Findings, "found">): string {
  // How many bytes a file has is not always known.
  const sums = [files, lines, bytes || undefined, folders].map(
    (sum, at) => sum !== undefined && count(sum, UNITS[at]!),
  );
  return `${[...sums, `${unread} not read`].filter(Boolean).join(", ")}.`;
}

/** `1 line`, `2 lines`. */
export function count(n: number, unit: string): string {
  return `${n} ${unit}${n === 1 ? "" : "s"}`;
}

/**
 * The sums, then a line for each thing found: without what it is about if there is no room, and past `maxBytes` of
 * UTF-8 text counted.
 */
export function writeFindings(findings: Findings, maxBytes: number): string {
  const counts = writeCounts(findings);
  const room = maxBytes - counts.length - 1;
  const full = findings.found.map(writeFound);
  const lines = fitting(full, room);
  const shown = lines.length === full.length ? lines : fitting(findings.found.map(writeBriefly), room);
  const namedFiles = findings.found.slice(0, shown.length).filter(({ path }) => !path.endsWith("/")).length;
  const left = findings.files - namedFiles;
  return [counts, ...shown, ...(left > 0 ? [`- and ${count(left, "more file")}`] : [])].join("\n");
}

function writeFound(found: Found): string {
  return `${writeBriefly(found)}${found.about && `; ${found.about}`}`;
}

function writeBriefly({ path, size }: Found): string {
  return `- ${writePath(path)}: ${size}`;
}

/** The first lines that have room, and for one that counts the rest. */
function fitting(lines: readonly string[], maxBytes: number): readonly string[] {
  let room = maxBytes - 40;
  const end = lines.findIndex((line) => (room -= Buffer.byteLength(line) + 1) < 0);
  return end === -1 ? lines : lines.slice(0, end);
}

const FOUND = new RegExp(`^- (${PATH}): ([^;]{1,200})(?:; (.{0,1000}))?$`);
const MAX_LINE = 4_000;
const MAX_LINES = 5_000;

/** What `writeFindings` wrote; lines of any other form are left out. */
export function readFindings(text: string): Findings {
  const [sums = "", ...lines] = text.split("\n", MAX_LINES);
  const found = lines.flatMap((line): Found[] => {
    const parts = line.length > MAX_LINE ? null : FOUND.exec(line);
    return parts ? [{ path: readPath(parts[1]!), size: clean(parts[2]!), about: clean(parts[3] ?? "") }] : [];
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

export function sortByPath(found: readonly Found[]): readonly Found[] {
  return found.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

export interface FileFacts {
  readonly lines: number;
  /** Absent: not known. */
  readonly bytes?: number;
  readonly about: string;
}

/** What a `readFile` says about its file; a text, if it failed, says why. */
export const factsOf = remember((step: Step): FileFacts | string => {
  const { content, isError } = step.result;
  const path = String(step.parameters["path"]);
  if (isError) return reasonIn(content, path);
  const opening = `Contents of ${path}`;
  const start = content.startsWith(opening) ? opening.length : 0;
  const header = firstLine(content.slice(start));
  const body = content.slice(start + header.length + 1);
  const lines = numberBefore("lines?", header) ?? body.split("\n").length;
  const bytes = numberBefore("bytes?", header);
  return { lines, ...(bytes !== undefined && { bytes }), about: describe(path, body) };
});

/** What a folder holds; the names of folders end in `/`. */
export interface Entries {
  readonly names: readonly string[];
  /** How many more there are. */
  readonly unnamed: number;
}

/** What a `listDirectory` names; a text, if it failed, says why. */
export const entriesOf = remember((step: Step): Entries | string => {
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
  const [reason = ""] = clean(firstLine(text)).split(/[.:;](?: |$)/, 1);
  return reason ? reason[0]!.toLowerCase() + reason.slice(1) : "no reason was given";
}

function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 ? text : text.slice(0, end);
}

function numberBefore(unit: string, text: string): number | undefined {
  const match = new RegExp(`(?<!\\w)(\\d{1,12}) ${unit}\\b`).exec(text);
  return match ? Number(match[1]) : undefined;
}

const DEFINITIONS: readonly { readonly names: RegExp; readonly says: string; readonly line: RegExp }[] = [
  { names: /\.(?:md|markdown)$/i, says: "headings", line: /^#{1,3} (.+)/ },
  {
    names: /\.[cm]?[jt]sx?$/i,
    says: "exports",
    line: /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function|class|const|let|var|interface|type|enum)\*? ([\w$]+)/,
  },
  { names: /\.py$/i, says: "defines", line: /^(?:async )?(?:def|class) (\w+)/ },
  { names: /\.go$/i, says: "exports", line: /^(?:func|type|const|var) (?:\([^)]*\) )?([A-Z]\w*)/ },
  {
    names: /\.rs$/i,
    says: "exports",
    line: /^pub (?:async |unsafe )?(?:fn|struct|enum|trait|mod|const|static|type) (\w+)/,
  },
];
const MAX_MENTIONED = 5;
const MAX_SCANNED = 300;

/** Is there more to learn from the text of such a file than how long it is? */
export function isDescribed(path: string): boolean {
  return DEFINITIONS.some(({ names }) => names.test(path));
}

/** The headings of a text, or what code offers to others, as far as `body` shows it. */
function describe(path: string, body: string): string {
  const kind = DEFINITIONS.find(({ names }) => names.test(path));
  if (!kind) return "";
  const lines = withoutFences(body.split("\n"));
  const found = lines.flatMap((line) => kind.line.exec(line.slice(0, MAX_SCANNED))?.[1] ?? []);
  const mentioned = found.slice(0, MAX_MENTIONED).map((name) => clean(name, 60));
  return mentioned.length === 0
    ? ""
    : `${kind.says} ${mentioned.join(", ")}${found.length > MAX_MENTIONED ? ", ..." : ""}`;
}

/** What stands in a code fence of a Markdown text are no headings. */
function withoutFences(lines: readonly string[]): readonly string[] {
  let isInside = false;
  return lines.filter((line) => {
    const isFence = /^\s{0,3}(?:```|~~~)/.test(line);
    if (isFence) isInside = !isInside;
    return !isInside && !isFence;
  });
}

/** One line without anything that a reader or a Markdown page could take for more than text. */
function clean(text: string, maxChars = 200): string {
  const visible = text
    .slice(0, maxChars * 2)
    .replace(/[\p{C}\s]+/gu, " ")
    .replace(/[`<>]/g, "")
    .trim();
  return visible.length > maxChars ? `${visible.slice(0, maxChars)}...` : visible;
}
