// A walk through a part of the files: what of it has been seen, and what to look at next. All of it is told by the
// results that are in view, so a walk goes on wherever it was interrupted.

import { findingsIn, mergeFindings, type Findings } from "./findings.ts";
import type { Wanted } from "../commands.ts";
import type { Share } from "../letters.ts";
import { within } from "../move.ts";
import { joinPath } from "../paths.ts";
import { groupBy, stepsSince, type OfflineView, type ActionStep } from "../prompt-reader.ts";

/** Every file up to this many is named; the rest is counted. */
const MAX_NAMED = 1_000;
/** How many outlines are asked for in one decision. */
const BATCH = 100;
/** What a walk may take of the view, in characters: once that much was seen, the rest is only named. */
const MAX_SEEN = 240_000;
/** No action takes a path with such characters. */
const CONTROL_CHARACTER = /\p{Cc}/u;

/** What a survey is written into. */
export const SURVEY_FILE = "SURVEY.md";
const LEFT_OUT = new Set([".git", "node_modules", ".ai-legion", SURVEY_FILE]);

/** Not what belongs to the machinery, nor the result of an earlier survey. */
export function isSurveyed(entry: string): boolean {
  return !LEFT_OUT.has(entry.endsWith("/") ? entry.slice(0, -1) : entry);
}

export interface Walk {
  /** What to call next; empty: the walk is over. */
  readonly next: readonly Wanted[];
  readonly findings: Findings;
}

/** Walks a part of `dir` as far as it was seen after `since`. */
export function walk(view: OfflineView, since: number, { dir, entries }: Share): Walk {
  const seen = lookBack(view, since);
  const all = mergeFindings(entries.map((entry) => findingsOn(seen, dir, entry)));
  const next = isEnough(seen, all) ? [] : entries.flatMap((entry) => nextOn(seen, dir, entry));
  return {
    next: within(view, next.slice(0, BATCH)),
    findings: { ...all, found: all.found.slice(0, MAX_NAMED) },
  };
}

/** What the agent looked at since some moment. */
interface Seen {
  /** By path; a long one comes in parts. */
  readonly outlines: ReadonlyMap<string, readonly ActionStep[]>;
  readonly characters: number;
}

function lookBack(view: OfflineView, since: number): Seen {
  const steps = stepsSince(view, since).filter(({ action }) => action === "outline");
  return {
    outlines: groupBy(steps, ({ parameters }) => String(parameters["path"])),
    characters: steps.reduce((sum, { result }) => sum + result.content.length, 0),
  };
}

function isEnough({ characters }: Seen, { found }: Findings): boolean {
  return characters >= MAX_SEEN || found.filter(({ size }) => size !== UNSEEN).length >= MAX_NAMED;
}

/** The outline of an entry, or the part of it that comes next. */
function nextOn({ outlines }: Seen, dir: string, entry: string): readonly Wanted[] {
  const path = joinPath(dir, entry);
  const parts = outlines.get(path);
  const offset = parts && MORE.exec(parts.at(-1)!.result.content)?.[1];
  if (CONTROL_CHARACTER.test(path) || (parts && offset === undefined)) return [];
  return [{ action: "outline", parameters: { path, ...(offset && { offset: Number(offset) }) } }];
}

const MORE = /\n\[\d{1,9} more files?; go on with offset (\d{1,9})\.\]$/;
const UNSEEN = "not seen";

/** With paths from `dir` on. */
function findingsOn({ outlines }: Seen, dir: string, entry: string): Findings {
  if (CONTROL_CHARACTER.test(entry)) return unseen(entry, "not read, its name has control characters");
  const [first, ...more] = (outlines.get(joinPath(dir, entry)) ?? []).map(findingsIn);
  if (first === undefined) return unseen(entry, UNSEEN);
  if (typeof first === "string") return unseen(entry, `not read, ${first}`);
  const found = [first, ...more].flatMap((part) => (typeof part === "string" ? [] : part.found));
  if (!entry.endsWith("/")) return { ...first, found: found.map((one) => ({ ...one, path: entry })) };
  return {
    ...first,
    folders: first.folders + 1,
    found: found.map((one) => ({ ...one, path: entry + one.path })),
  };
}

function unseen(path: string, size: string): Findings {
  const files = path.endsWith("/") ? 0 : 1;
  return { files, lines: 0, bytes: 0, folders: 0, unread: 1, found: [{ path, size, about: "" }] };
}
