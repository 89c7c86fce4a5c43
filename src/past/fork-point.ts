// Which moment of a log a person means who names one of its events. Pure.

import { forkIn } from "./branch.ts";
import { LegionError } from "../base/errors.ts";
import type { Event, EventOf } from "../domain/event.ts";

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

function begin({ stop, calls }: EventOf<"decision">, before: number): Unfinished {
  return { before, open: new Set(stop === "unparsed" ? [null] : calls.map(({ id }) => id)) };
}
