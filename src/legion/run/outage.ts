// How long a task waits for a provider that gives no answer. Agents of a legion wait for as long as that lasts; whoever has one
// task done wants to know.

import { park } from "../../agent/park.ts";
import { isLegionError } from "../../base/errors.ts";
import { formatDuration } from "../../base/text/duration.ts";
import type { EndStatus } from "../../domain/event/ending.ts";
import type { Event } from "../../domain/event/event.ts";
import { workerIn, type Workshop } from "./workshop.ts";

export interface OutagePatience {
  /** How long its provider may give no answer. */
  readonly outageMs: number;
  /** What the task may take: while it waits for its provider, that time counts. Absent: for ever. */
  readonly timeMs?: number;
}

export const OUTAGE_MS = 600_000;

interface GivingUp {
  readonly afterMs: number;
  readonly content: string;
  readonly end: EndStatus;
}

/** Stops the agent when its provider has given no answer for that long. Returns how to end that. */
export function boundOutages(workshop: Workshop, patience: OutagePatience): () => void {
  const { legion, agent } = workshop;
  let waiting: AbortController | undefined;
  /** In outages that are over, until that was asked which ended them: what its answer took is work. */
  let waitedMs = 0;
  let askedMs = 0;
  const end = (): void => {
    waiting?.abort();
    waiting = undefined;
  };
  const begin = async (why: string, { signal }: AbortController): Promise<void> => {
    const supervised = workerIn(workshop);
    const { memory, shared } = supervised.agent!;
    const { clock } = shared;
    const sinceMs = clock.now();
    const stop = stopFor(patience, memory.ledger.spent.workingMs + waitedMs, why);
    signal.addEventListener("abort", () => (waitedMs += Math.max(0, askedMs - sinceMs)), { once: true });
    await clock.sleep(stop.afterMs, signal);
    if (signal.aborted) return;
    await supervised.alone(async () => {
      // An answer may have come in the last moment.
      if (signal.aborted) return;
      await park(supervised.agent!, "parked", stop.content, { end: stop.end });
      end();
    });
  };
  const unwatch = legion.inspector.watch((seen) => {
    if (seen.agent !== agent) return;
    if (seen.kind === "event" && seen.event.kind === "prompted") askedMs = Date.parse(seen.event.at);
    if (seen.kind === "event" && isAnswer(seen.event)) end();
    if (seen.kind !== "live:state" || seen.state !== "retrying" || waiting) return;
    waiting = new AbortController();
    void begin(withoutWait(seen.reason), waiting).catch(unlessGone);
  });
  return () => {
    unwatch();
    end();
  };
}

/** A log that cannot take it, and an agent that was stopped meanwhile, are seen elsewhere. */
function unlessGone(error: unknown): void {
  if (!isLegionError(error)) throw error;
}

function stopFor({ outageMs, timeMs }: OutagePatience, takenMs: number, why: string): GivingUp {
  const leftMs = timeMs === undefined ? Infinity : Math.max(0, timeMs - takenMs);
  if (leftMs > outageMs) {
    const content = `its model gave no answer for ${formatDuration(outageMs)}: ${why}`;
    return { afterMs: outageMs, content, end: "Error" };
  }
  const content = `it may work for ${formatDuration(timeMs!)}, and its model gave no answer: ${why}`;
  return { afterMs: leftMs, content, end: "TimeExceeded" };
}

function isAnswer({ kind }: Event): boolean {
  return kind === "decision" || kind === "result" || kind === "summary";
}

/** Why a provider has to be waited for, without how long that takes this time. */
export function withoutWait(reason = ""): string {
  return reason.replace(/ \(again in \d+ s\)$/, "");
}
