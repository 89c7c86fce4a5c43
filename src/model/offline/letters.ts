// What agents on the offline model write to each other during a survey, written and read in one place. People read
// these too. Whatever arrives is somebody's text: what does not fit the form is left out.

import { createHash } from "node:crypto";
import { readFindings, writeFindings, type Findings } from "./findings.ts";
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
const MAX_REPORT_BYTES = 40_000;
/** All reports of one survey together: what the agent that merges them can keep in view. */
const MAX_REPORTS_BYTES = 120_000;

export function newShare(dir: string, entries: readonly string[], parts: number): Share {
  const hash = createHash("sha256").update(JSON.stringify([dir, entries]));
  const maxBytes = Math.min(MAX_REPORT_BYTES, Math.floor(MAX_REPORTS_BYTES / parts));
  return { dir, entries, key: hash.digest("hex").slice(0, 8), maxBytes };
}

/** The first line of the letter that hands a share over: all that a goal keeps of it. */
export function shareOpening({ dir, key, maxBytes }: Share): string {
  return `You have a share in the survey of ${quotePath(dir)} (key ${key}, report in ${maxBytes} bytes).`;
}

export function writeShare(share: Share): string {
  return [
    `${shareOpening(share)} Walk what is listed here, note what you find, and report back to me.`,
    `Begin the report with: ${reportOpening(share)} <n> files, <n> lines, <n> bytes, <n> folders, <n> not read.`,
    "Then one line for each file, such as: - src/a.ts: 12 lines; exports a, b",
    "",
    ...share.entries.map((entry) => `- ${writePath(entry)}`),
  ].join("\n");
}

const SHARE = new RegExp(
  `^You have a share in the survey of (${PATH}) \\(key ([0-9a-f]{8}), report in (\\d{1,6}) bytes\\)`,
);

export function readShare(text: string): Share | undefined {
  const [, dir, key, maxBytes] = SHARE.exec(text) ?? [];
  if (dir === undefined || key === undefined) return undefined;
  const lines = text.split("\n").filter((line) => line.startsWith("- "));
  const entries = lines.slice(0, MAX_ENTRIES).map((line) => readPath(line.slice(2)));
  return { dir: readPath(dir), entries: entries.filter(isEntry), key, maxBytes: Number(maxBytes) };
}

/** One step down into a folder, not a way around. */
function isEntry(entry: string): boolean {
  const name = entry.endsWith("/") ? entry.slice(0, -1) : entry;
  return name !== "" && name !== "." && name !== ".." && !name.includes("/");
}

export function reportOpening({ dir, key }: Share): string {
  return `Report on the survey of ${quotePath(dir)} (key ${key}):`;
}

export function writeReport(share: Share, findings: Findings): string {
  return `${reportOpening(share)} ${writeFindings(findings, share.maxBytes)}`;
}

/** Says that nothing will come of a share. */
export function returnShare(share: Share): string {
  return `${reportOpening(share)} ${RETURNED}`;
}

const RETURNED = "I have lost what was in it; take it back.";

/** What a report says of what lies in `share`; `returned` if nobody walked it, `undefined` if `text` is no report on it. */
export function readReport(share: Share, text: string): Findings | "returned" | undefined {
  const opening = `${reportOpening(share)} `;
  if (!text.startsWith(opening)) return undefined;
  const said = text.slice(opening.length);
  if (said.startsWith(RETURNED)) return "returned";
  const { found, ...sums } = readFindings(said);
  const own = new Set(share.entries);
  const isOwn = (path: string): boolean => own.has(path.slice(0, path.indexOf("/") + 1) || path);
  return { ...sums, found: found.filter(({ path }) => isOwn(path)) };
}
