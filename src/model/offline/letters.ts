// What agents on the offline model write to each other during a survey, written and read in one place. People read
// these too. Whatever arrives is somebody's text: what does not fit the form is left out.

import { createHash } from "node:crypto";
import { readFindings, writeFindings, type Findings } from "./survey/findings.ts";
import { PATH, quotePath, readPath, writePath } from "./paths.ts";

/** A part of a survey that one agent takes. */
export interface Share {
  readonly dir: string;
  /** Names of what lies in `dir`; folders end in `/`. */
  readonly entries: readonly string[];
  /** Tells it from every other share: made from `dir` and `entries`. */
  readonly key: string;
  /** The longest report that may come back, in UTF-8 bytes. */
  readonly maxBytes: number;
}

/** More than a list of a folder ever shows. */
const MAX_ENTRIES = 2_000;
const MIN_REPORT_BYTES = 1_000;
const MAX_REPORT_BYTES = 40_000;
/** All reports of one survey together: what the agent that merges them can keep in view. */
const MAX_REPORTS_BYTES = 120_000;

export function newShare(dir: string, entries: readonly string[], parts: number): Share {
  return {
    dir,
    entries,
    key: keyOf(dir, entries),
    maxBytes: reportBytes(MAX_REPORTS_BYTES / Math.max(1, parts)),
  };
}

function keyOf(dir: string, entries: readonly string[]): string {
  return createHash("sha256")
    .update(JSON.stringify([dir, entries]))
    .digest("hex")
    .slice(0, 8);
}

function reportBytes(wanted: number): number {
  return Math.floor(Math.min(MAX_REPORT_BYTES, Math.max(MIN_REPORT_BYTES, wanted)));
}

/** Hands a share over; without entries it tells the agent that there is nothing to do for it. */
export function writeShare(share: Share): string {
  const { dir, entries, key, maxBytes } = share;
  const survey = `the survey of ${quotePath(dir)} (key ${key}, report in ${maxBytes} bytes)`;
  if (entries.length === 0) return `You have no share in ${survey}: there are more agents than entries.`;
  return [
    `You have a share in ${survey}. Walk what is listed here, note what you find, and report back to me.`,
    `Begin the report with: ${reportOpening(share)} <n> files, <n> lines, <n> bytes, <n> folders, <n> not read.`,
    "Then one line for each file, such as: - src/a.ts: 12 lines; exports a, b",
    "",
    ...entries.map((entry) => `- ${writePath(entry)}`),
  ].join("\n");
}

const SHARE = new RegExp(
  `^You have (?:no|a) share in the survey of (${PATH}) \\(key ([0-9a-f]{8}), report in (\\d{1,9}) bytes\\)`,
);

export function readShare(text: string): Share | undefined {
  const opening = SHARE.exec(text);
  if (!opening) return undefined;
  const lines = text.split("\n").filter((line) => line.startsWith("- "));
  return {
    dir: readPath(opening[1]!),
    entries: lines
      .slice(0, MAX_ENTRIES)
      .map((line) => readPath(line.slice(2)))
      .filter(isEntry),
    key: opening[2]!,
    maxBytes: reportBytes(Number(opening[3])),
  };
}

/** One step down into a folder, not a way around. */
export function isEntry(entry: string): boolean {
  const name = entry.endsWith("/") ? entry.slice(0, -1) : entry;
  return name !== "" && name !== "." && name !== ".." && !name.includes("/");
}

function reportOpening({ dir, key }: Share): string {
  return `Report on the survey of ${quotePath(dir)} (key ${key}):`;
}

export function writeReport(share: Share, findings: Findings): string {
  return `${reportOpening(share)} ${writeFindings(findings, share.maxBytes)}`;
}

/** Is `text` a report on `share`? */
export function isReport(share: Share, text: string): boolean {
  return text.startsWith(reportOpening(share));
}

/** What a report on `share` says; `undefined` if `text` is none. */
export function readReport(share: Share, text: string): Findings | undefined {
  return isReport(share, text) ? readFindings(text.slice(reportOpening(share).length)) : undefined;
}

/** Opens the one message that ends a survey. */
export function surveyEnd(dir: string, how: "is done" | "has failed"): string {
  return `The survey of ${quotePath(dir)} ${how}:`;
}

export function isSurveyEnd(dir: string, text: string): boolean {
  return text.startsWith(surveyEnd(dir, "is done")) || text.startsWith(surveyEnd(dir, "has failed"));
}
