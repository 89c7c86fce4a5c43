// A walk through a part of the files: what of it has been seen, and what to look at next. All of it is told by the
// results that are in view, so a walk goes on wherever it was interrupted.

import {
  count,
  entriesOf,
  factsOf,
  isDescribed,
  sortByPath,
  type Entries,
  type FileFacts,
  type Findings,
  type Found,
} from "./offline-findings.ts";
import type { Wanted } from "./offline-commands.ts";
import type { Share } from "./offline-letters.ts";
import { within } from "./offline-move.ts";
import { joinPath } from "./offline-paths.ts";
import { stepsSince, type OfflineView, type Step } from "./offline-view.ts";

/** Every file up to this many is named and read; the rest is counted. */
const MAX_NAMED = 500;
const MAX_DEPTH = 40;
/** How many folders are listed, or files read, in one decision. */
const BATCH = 40;
// What a walk may take of the view, in characters: once that much was listed or read, the rest is only counted.
const MAX_LISTED = 120_000;
const MAX_READ = 180_000;
/** What the files together are meant to take. */
const READ_GOAL = 120_000;
/** No action takes a path with such characters. */
const CONTROL_CHARACTER = /\p{Cc}/u;
const NAMED_ODDLY = "its name has control characters";
const USUAL_LINE = 40;
/** As long as no file was read: so that the first few cannot fill the view. */
const USUAL_FILE = MAX_READ / 10;

/** What the agent looked at since some moment, by path. */
interface Seen {
  readonly folders: ReadonlyMap<string, Step>;
  readonly files: ReadonlyMap<string, Step>;
  readonly listed: number;
  readonly read: number;
}

export interface Walk {
  /** What to call next; empty: the walk is over. */
  readonly next: readonly Wanted[];
  readonly findings: Findings;
}

function lookBack(view: OfflineView, since: number): Seen {
  const folders = new Map<string, Step>();
  const files = new Map<string, Step>();
  let listed = 0;
  let read = 0;
  for (const step of stepsSince(view, since)) {
    const path = String(step.parameters["path"]);
    if (step.action === "listDirectory") {
      folders.set(path, step);
      listed += step.result.content.length;
    } else if (step.action === "readFile") {
      files.set(path, step);
      read += step.result.content.length;
    }
  }
  return { folders, files, listed, read };
}

/** Walks a part of `dir` as far as it was seen after `since`. */
export function walk(
  view: OfflineView,
  since: number,
  { dir, entries }: Pick<Share, "dir" | "entries">,
): Walk {
  const seen = lookBack(view, since);
  const tree = unfold(seen, dir, entries);
  const lists = within(view, nextLists(seen, dir, tree.unlisted));
  const next = lists.length > 0 ? lists : within(view, nextReads(seen, dir, tree.files.slice(0, MAX_NAMED)));
  return { next, findings: summarise(seen, dir, tree) };
}

function nextLists(seen: Seen, dir: string, unlisted: readonly string[]): readonly Wanted[] {
  if (seen.listed >= MAX_LISTED) return [];
  return unlisted
    .slice(0, BATCH)
    .map((path) => ({ action: "listDirectory", parameters: { path: joinPath(dir, path) } }));
}

/** Few at once as long as nobody knows how large they are, or if they turn out to be large. */
function nextReads(seen: Seen, dir: string, named: readonly string[]): readonly Wanted[] {
  const usual = seen.files.size > 0 ? seen.read / seen.files.size : USUAL_FILE;
  const room = Math.min(BATCH, Math.ceil((MAX_READ - seen.read) / usual));
  const lines = Math.floor(READ_GOAL / USUAL_LINE / (named.length || 1));
  const limit = Math.min(120, Math.max(5, lines));
  return named
    .map((name) => joinPath(dir, name))
    .filter((path) => !seen.files.has(path) && !CONTROL_CHARACTER.test(path))
    .slice(0, Math.max(0, room))
    .map((path) => ({ action: "readFile", parameters: { path, limit: isDescribed(path) ? limit : 1 } }));
}

interface Tree {
  /** In order of path. */
  readonly files: readonly string[];
  /** Files that no list named. */
  readonly unnamed: number;
  readonly folders: number;
  readonly unlisted: readonly string[];
  readonly closed: readonly Found[];
}

function unfold(seen: Seen, dir: string, entries: readonly string[]): Tree {
  const tree = {
    files: [] as string[],
    unnamed: 0,
    folders: 0,
    unlisted: [] as string[],
    closed: [] as Found[],
  };
  const open = [...entries];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const inside = path.endsWith("/") ? lookInto(seen, dir, path) : "file";
    if (inside === "file") tree.files.push(path);
    else if (inside === "unlisted") tree.unlisted.push(path);
    else if ("problem" in inside)
      tree.closed.push({ path, size: `not opened, ${inside.problem}`, about: "" });
    else {
      tree.folders++;
      tree.unnamed += inside.unnamed;
      for (const name of inside.names) if (isSurveyed(name)) open.push(path + name);
    }
  }
  tree.files.sort();
  tree.unlisted.sort();
  return tree;
}

function lookInto(
  seen: Seen,
  dir: string,
  path: string,
): Entries | { readonly problem: string } | "unlisted" {
  if (path.split("/").length > MAX_DEPTH) return { problem: "it lies too deep" };
  if (CONTROL_CHARACTER.test(path)) return { problem: NAMED_ODDLY };
  const step = seen.folders.get(joinPath(dir, path));
  if (!step) return "unlisted";
  const entries = entriesOf(step);
  return typeof entries === "string" ? { problem: entries } : entries;
}

/** What a survey is written into. */
export const SURVEY_FILE = "SURVEY.md";
const LEFT_OUT = new Set([".git", "node_modules", ".ai-legion", SURVEY_FILE]);

/** Not what belongs to the machinery, nor the result of an earlier survey. */
export function isSurveyed(entry: string): boolean {
  return !LEFT_OUT.has(entry.endsWith("/") ? entry.slice(0, -1) : entry);
}

function summarise(seen: Seen, dir: string, { files, unnamed, folders, unlisted, closed }: Tree): Findings {
  const found = [...closed, ...unlisted.map((path) => ({ path, size: "not opened", about: "" }))];
  let lines = 0;
  let bytes = 0;
  let read = 0;
  for (const path of files.slice(0, MAX_NAMED)) {
    const facts = lookAt(seen, dir, path);
    if (typeof facts === "string") {
      found.push({ path, size: facts, about: "" });
      continue;
    }
    read++;
    lines += facts.lines;
    bytes += facts.bytes ?? 0;
    found.push({ path, size: sizeOf(facts), about: facts.about });
  }
  const all = files.length + unnamed;
  const unread = all - read + closed.length + unlisted.length;
  return { files: all, lines, bytes, folders, unread, found: sortByPath(found) };
}

function lookAt(seen: Seen, dir: string, path: string): FileFacts | string {
  if (CONTROL_CHARACTER.test(path)) return `not read, ${NAMED_ODDLY}`;
  const step = seen.files.get(joinPath(dir, path));
  if (!step) return "not read";
  const facts = factsOf(step);
  return typeof facts === "string" ? `not read, ${facts}` : facts;
}

function sizeOf({ lines, bytes }: FileFacts): string {
  return [count(lines, "line"), ...(bytes === undefined ? [] : [count(bytes, "byte")])].join(", ");
}
