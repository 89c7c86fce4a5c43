// What happened to an agent and was not asked for yet. It is bounded: past a million characters nothing that is committed waits
// here any more, as the log has it, and nothing that streams, as the decision that is made of it will have the whole.

import type { Event } from "../../domain/event/event.ts";
import type { Inspection } from "../../domain/inspection.ts";

/** Committed events that have to be looked up in the log, by their numbers. */
export interface MissedEvents {
  from: number;
  readonly to: number;
}

export interface Backlog {
  /** To be read before anything is taken; what was read of them is said in `from`. Absent: nothing is missed. */
  readonly missed: MissedEvents | undefined;
  /** The agent is stopped: what the log does not have of the missed events it never will. */
  readonly isOver: boolean;
  add(seen: Inspection): void;
  /** The oldest; nothing while events are missed. */
  take(): Inspection | undefined;
  /** The missed events were read. */
  caughtUp(): void;
}

/** Counted roughly, in characters. */
const MOST_WAITING = 1_048_576;
const SIZE_OF_SMALL = 200;
/** The log may have these only with the commit after them, and nothing is told of them. */
const NOTED = new Set<Event["kind"]>(["prompted", "refused", "sent"]);
const STREAMED = new Set<Inspection["kind"]>(["live:delta", "live:call", "live:progress"]);

interface WaitingInspection {
  readonly seen: Inspection;
  readonly size: number;
}

/** Of one agent, from now on. */
export function createBacklog(): Backlog {
  let waiting: WaitingInspection[] = [];
  let size = 0;
  let missed: { from: number; to: number } | undefined;
  /** Of the states that were not kept. */
  let newest: Inspection | undefined;
  /** The beginning of what streams was not kept. */
  let isMidAnswer = false;
  const caughtUp = (): void => {
    if (newest) waiting.push({ seen: newest, size: 0 });
    newest = missed = undefined;
  };
  const fallBehind = (): void => {
    const seqs = waiting.flatMap(({ seen }) => (seen.kind === "event" ? [seen.event.seq] : []));
    newest = waiting.findLast(({ seen }) => seen.kind === "live:state")?.seen;
    waiting = [];
    size = 0;
    isMidAnswer = true;
    if (seqs.length > 0) missed = { from: seqs[0]!, to: seqs.at(-1)! };
    else caughtUp();
  };
  return {
    get missed() {
      return missed;
    },
    get isOver() {
      return newest?.kind === "live:state" && newest.state === "stopped";
    },
    add(seen) {
      if (seen.kind === "event" && NOTED.has(seen.event.kind)) return;
      if (seen.kind === "event" && seen.event.kind === "decision") isMidAnswer = false;
      if (missed) {
        if (seen.kind === "event") missed.to = seen.event.seq;
        else if (seen.kind === "live:state") newest = seen;
        isMidAnswer = true;
      } else if (!isMidAnswer || !STREAMED.has(seen.kind)) {
        // For a reader that keeps up nothing has to be measured.
        const added = { seen, size: waiting.length === 0 ? 0 : sizeOf(seen) };
        waiting.push(added);
        size += added.size;
        if (size > MOST_WAITING) fallBehind();
      }
    },
    take() {
      const taken = missed ? undefined : waiting.shift();
      size -= taken?.size ?? 0;
      return taken?.seen;
    },
    caughtUp,
  };
}

function sizeOf(seen: Inspection): number {
  if (seen.kind === "event") return JSON.stringify(seen.event).length;
  if (seen.kind === "live:delta") return seen.delta.text.length + SIZE_OF_SMALL;
  return (seen.kind === "live:progress" ? seen.text.length : 0) + SIZE_OF_SMALL;
}
