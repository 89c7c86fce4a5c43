// The events of a log form a tree: after `branch {to}` the next one continues from event `to`. What leads to an event is
// a few ranges of sequence numbers. Pure.

import type { Event, SeqRange } from "../domain/event.ts";

/** The events behind `seq` continue from event `to`. */
export interface Fork {
  readonly seq: number;
  readonly to: number;
}

/** What leads to event `seq`, oldest first; without it, to the newest and all that will come. `forks` in their order. */
export function pathTo(forks: readonly Fork[], seq = Infinity): readonly SeqRange[] {
  const path: SeqRange[] = [];
  let end = seq;
  for (const fork of forks.toReversed()) {
    if (fork.seq > end) continue;
    if (fork.seq < end) path.unshift([fork.seq + 1, end]);
    end = fork.to;
  }
  if (end > 0) path.unshift([1, end]);
  return path;
}

export function isOn(path: readonly SeqRange[], seq: number): boolean {
  return path.some(([first, last]) => first <= seq && seq <= last);
}

/** The events of the branch that leads to `seq`, or to the newest one; `events` is a whole log. */
export async function* along(
  events: AsyncIterable<Event>,
  path: readonly SeqRange[],
): AsyncGenerator<Event, undefined> {
  const end = path.at(-1)?.[1] ?? 0;
  for await (const event of events) {
    if (event.seq > end) break;
    if (isOn(path, event.seq)) yield event;
  }
  return undefined;
}

/** A fork as the log has it; `undefined` for every other event, and for one that names no earlier event. */
export function forkIn(event: Event): Fork | undefined {
  if (event.kind !== "branch") return undefined;
  const { seq, to } = event;
  return Number.isSafeInteger(to) && to >= 0 && to < seq ? { seq, to } : undefined;
}
