// A walk through a part of the files: what of it has been seen, and what to look at next. All of it is told by the
// results that are in view, so a walk goes on wherever it was interrupted.

import type { Wanted } from "./commands.ts";
import { findingsIn, mergeFindings, type Findings } from "./findings.ts";
import type { Share } from "./letters.ts";
import { joinPath } from "./paths.ts";
import { stepsSince, type ActionStep, type OfflineView } from "./view.ts";

/** How many outlines are asked for in one decision. */
const BATCH = 100;
/** What a walk may take of the view, in characters: once that much was seen, the rest is only named. */
const MAX_SEEN = 240_000;

export interface Walk {
  /** What to call next; empty: the walk is over. */
  readonly next: readonly Wanted[];
  readonly findings: Findings;
}

/** Walks a part of `dir` as far as it was seen after `since`. */
export function walk(view: OfflineView, since: number, { dir, entries }: Share): Walk {
  const outlines = stepsSince(view, since).filter(({ action }) => action === "outline");
  const characters = outlines.reduce((sum, { result }) => sum + result.content.length, 0);
  const isOver = characters >= MAX_SEEN || !view.tools.has("outline");
  const parts = entries.map((entry) => {
    const path = joinPath(dir, entry);
    return { entry, path, seen: outlines.filter(({ parameters }) => parameters["path"] === path) };
  });
  const next = isOver ? [] : parts.flatMap(({ path, seen }) => nextOutline(path, seen));
  const findings = mergeFindings(parts.map(({ entry, seen }) => findingsOn(entry, seen)));
  return { next: next.slice(0, BATCH), findings };
}

const MORE = /\n\[\d{1,9} more files?; go on with offset (\d{1,9})\.\]$/;

/** The outline of `path`, or the part of it that comes after those that were `seen`. */
function nextOutline(path: string, seen: readonly ActionStep[]): readonly Wanted[] {
  const last = seen.at(-1);
  if (!last) return [{ action: "outline", parameters: { path } }];
  const [, offset] = MORE.exec(last.result.content) ?? [];
  return offset === undefined ? [] : [{ action: "outline", parameters: { path, offset: Number(offset) } }];
}

/** With paths from the folder on in which `entry` lies. */
function findingsOn(entry: string, seen: readonly ActionStep[]): Findings {
  const [first = "not seen", ...more] = seen.map(findingsIn);
  const isFolder = entry.endsWith("/");
  if (typeof first === "string") {
    const found = [{ path: entry, says: first }];
    return { files: isFolder ? 0 : 1, lines: 0, bytes: 0, folders: 0, unread: 1, found };
  }
  const found = [first, ...more].flatMap((part) => (typeof part === "string" ? [] : part.found));
  return {
    ...first,
    folders: first.folders + (isFolder ? 1 : 0),
    found: found.map((one) => ({ ...one, path: isFolder ? entry + one.path : entry })),
  };
}
