// Where text came from that nobody here vouches for: a list of sources, such as `https://example.com/page`,
// `file downloads/x.txt` or `search`. They are a stranger's words themselves.

import { showUnseen } from "../../base/text/unseen.ts";

/** Each once, in the order in which they were met. Earlier versions wrote `true`: from somewhere. */
export type Taint = readonly string[] | true;

const UNKNOWN = "unknown";
const AND_MORE = "and more";
const MAX_SOURCES = 16;
const MAX_CHARS = 200;

/** The sources that marks name together, whoever wrote these; empty without any. Past 16 the last one is `and more`. */
export function sourcesOf(...marks: readonly unknown[]): readonly string[] {
  const sources = new Set<string>();
  let isCut = false;
  for (const source of marks.flatMap(listed)) {
    if (source === AND_MORE || sources.size === MAX_SOURCES) isCut ||= !sources.has(source);
    else sources.add(source);
  }
  return isCut ? [...sources, AND_MORE] : [...sources];
}

/** The mark of what has all of `marks`; `undefined` if none of them names a source. */
export function markOf(...marks: readonly unknown[]): readonly string[] | undefined {
  const sources = sourcesOf(...marks);
  return sources.length > 0 ? sources : undefined;
}

function listed(mark: unknown): readonly string[] {
  if (mark === undefined || mark === null || mark === false) return [];
  // One too many says that there are more.
  return (Array.isArray(mark) ? (mark as readonly unknown[]) : [mark]).slice(0, MAX_SOURCES + 1).map(shown);
}

function shown(source: unknown): string {
  if (typeof source !== "string" || source.trim() === "") return UNKNOWN;
  const text = showUnseen(source.trim().slice(0, MAX_CHARS + 1));
  // A cut must not part the two halves of a character.
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
}
