// The events of a log form a tree: after `branch {to}` the next one continues from event `to`. What leads to an event is
// a few ranges of sequence numbers. Pure.

import { LegionError } from "../base/errors.ts";
import { resultsFor, type Event, type EventOf, type SeqRange } from "../domain/event/event.ts";

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

/** Is `event` part of the branch? So is, wherever it forks, that what stands before the event was another agent's past. */
export function belongsTo(path: readonly SeqRange[], event: Event): boolean {
  return isOn(path, event.seq) || (event.kind === "branch" && event.origin !== undefined);
}

/** The events of the branch that leads to `seq`, or to the newest one; `events` is a whole log. */
export async function* along(
  events: AsyncIterable<Event>,
  path: readonly SeqRange[],
): AsyncGenerator<Event, undefined> {
  const end = path.at(-1)?.[1] ?? 0;
  for await (const event of events) {
    if (event.seq > end) break;
    if (belongsTo(path, event)) yield event;
  }
  return undefined;
}

/** A fork as the log has it; `undefined` for every other event, and for one that names no earlier event. */
export function forkIn(event: Event): Fork | undefined {
  if (event.kind !== "branch") return undefined;
  const { seq, to } = event;
  return Number.isSafeInteger(to) && to >= 0 && to < seq ? { seq, to } : undefined;
}

/** A decision without all its results. */
interface Unfinished {
  /** The event before it. */
  readonly before: number;
  /** The calls without a result; `null` for the reason of a completion that could not be read. */
  readonly open: Set<string | null>;
}

/**
 * The event to go on from where a person says `at`: of a decision, its last result; of one that was not finished, the
 * event before it; else `at` itself. Throws USAGE if there is no such event.
 *
 * @param events the whole log
 */
export async function forkPoint(events: AsyncIterable<Event>, at: number, name: string): Promise<number> {
  let decision: Unfinished | undefined;
  /** What the next event continues from. */
  let end = 0;
  let last = 0;
  for await (const event of events) {
    if (event.seq > at && last < at) throw new LegionError("USAGE", `event ${at} of ${name} is lost`);
    const isOver = event.kind === "decision" || event.kind === "branch";
    if (event.seq > at && isOver && decision) return decision.before;
    if (event.kind === "decision") decision = begin(event, end);
    else if (event.kind === "branch") decision = undefined;
    else if (event.kind === "result") decision?.open.delete(event.call);
    if (decision?.open.size === 0) decision = undefined;
    last = event.seq;
    end = forkIn(event)?.to ?? event.seq;
    if (last >= at && !decision) return end;
  }
  if (decision && last >= at) return decision.before;
  throw new LegionError("USAGE", `there is no event ${at}: the log of ${name} ends at ${last}`);
}

function begin(decision: EventOf<"decision">, before: number): Unfinished {
  return { before, open: new Set(resultsFor(decision)) };
}
