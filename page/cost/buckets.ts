// What was spent, in stretches of equal length, so that one can be held against another: old times are known by the hour or the day
// alone.

import type { ReadingAnswer } from "../../src/control/api/readings.ts";

type Span = ReadingAnswer<"costs">["spans"][number];

export interface Bucket {
  readonly atMs: number;
  readonly steps: number;
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
  readonly cost: number;
}

const MINUTE_MS = 60_000;
const LENGTHS = [1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1_440, 2_880, 10_080, 40_320] as const;
const MOST = 60;
/** Fewer look like a mistake. */
const FEWEST = 12;

/** All of them from the first to the last, oldest first, also those in which nothing was spent; none where nothing ever was. */
export function bucketsOf(spans: readonly Span[]): {
  readonly buckets: readonly Bucket[];
  /** How long each is. */
  readonly minutes: number;
} {
  if (spans.length === 0) return { buckets: [], minutes: 1 };
  const starts = spans.map(({ at }) => Date.parse(at));
  const first = Math.min(...starts);
  const last = Math.max(...starts);
  const coarsest = Math.max(...spans.map(({ minutes }) => minutes));
  const minutes =
    LENGTHS.find((length) => length >= coarsest && (last - first) / (length * MINUTE_MS) < MOST) ??
    Math.ceil((last - first) / MINUTE_MS / MOST);
  const lengthMs = minutes * MINUTE_MS;
  // As the spans are counted: in hours and days of UTC.
  const begin = (atMs: number): number => Math.floor(atMs / lengthMs) * lengthMs;
  const count = Math.max(FEWEST, (begin(last) - begin(first)) / lengthMs + 1);
  const from = begin(last) - (count - 1) * lengthMs;
  const buckets = Array.from({ length: count }, (_, index) => ({
    ...{ atMs: from + index * lengthMs, steps: 0, input: 0, cacheRead: 0, output: 0, cost: 0 },
  }));
  for (const [index, span] of spans.entries()) {
    const bucket = buckets[(begin(starts[index]!) - from) / lengthMs]!;
    bucket.steps += span.steps;
    bucket.input += span.input;
    bucket.cacheRead += span.cacheRead;
    bucket.output += span.output;
    bucket.cost += span.cost ?? 0;
  }
  return { buckets, minutes };
}
