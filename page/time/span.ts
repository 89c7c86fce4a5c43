// Over which time there is something to be seen, and when how much was done.

import { signal } from "@preact/signals";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { readNow } from "../connection/api.ts";

/** When the record begins, in milliseconds since 1970; `undefined` until it is known. */
export const beganMs = signal<number | undefined>(undefined);
/** Why nothing of it is known; `null`: it is. */
export const spanTrouble = signal<string | null>(null);
/** When how much was spent. */
export const spans = signal<ReadingAnswer<"costs">["spans"]>([]);

const BARS = 160;
const MINUTE_MS = 60_000;

/** Reads both again. */
export async function lookAtSpan(): Promise<void> {
  const [record, costs] = await Promise.all([readNow<"moment">("/moment"), readNow<"costs">("/costs")]);
  spanTrouble.value = record.outcome === "done" ? null : record.why;
  if (record.outcome === "done" && record.answer.began !== "")
    beganMs.value = Date.parse(record.answer.began);
  if (costs.outcome === "done") spans.value = costs.answer.spans;
}

/** How many steps began in each of so many parts of that time, from 0 to 1: the most of any is 1. */
export function activityBetween(fromMs: number, toMs: number): readonly number[] {
  const bars = Array.from({ length: BARS }, () => 0);
  const barMs = Math.max(1, toMs - fromMs) / BARS;
  for (const { at, minutes, steps } of spans.value) {
    const [start, end] = [Date.parse(at), Date.parse(at) + minutes * MINUTE_MS];
    const first = Math.max(0, Math.floor((start - fromMs) / barMs));
    const last = Math.min(BARS - 1, Math.floor((end - 1 - fromMs) / barMs));
    for (let bar = first; bar <= last; bar++) bars[bar]! += steps / (last - first + 1);
  }
  const most = Math.max(...bars);
  return most === 0 ? [] : bars.map((steps) => steps / most);
}
