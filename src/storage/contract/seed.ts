// The log of a new agent that begins with the past of another. That past is history only: the events keep their numbers
// and times, and the log ids they were written under; what counts begins behind them, under a new one.

import { randomUUID } from "node:crypto";
import { LOG_FORMAT, type BranchEvent, type Event, type Stamp } from "../../domain/event/event.ts";
import { longStrings, outline, type Blobs } from "../../past/log/blobs.ts";
import { repacking, type Stored } from "../../past/log/patches.ts";
import { modeNotice } from "../../domain/supervision.ts";
import type { AgentId, LogId } from "../../domain/message/message.ts";
import type { Module } from "../../domain/authoring/module.ts";

/** Whose past it is, and how much of it. */
export interface Past {
  readonly origin: AgentId;
  /**
   * Oldest first, long texts inlined; what comes after `to` is left out. Where they do not begin with an `opened` event,
   * they begin with number 2 or above.
   */
  readonly events: AsyncIterable<Event>;
  /** The event that the new agent goes on from. */
  readonly to: number;
  /** The words that one of them, a message or a result, has in that past; absent: all are as they were. */
  readonly changed?: { readonly seq: number; readonly content: string } | undefined;
  /** The new agent begins in mode `held`. */
  readonly held?: true | undefined;
  /** Where the introductions are that the events name. */
  readonly blobs: Pick<Blobs, "read">;
  /** The modules whose state people read in files. */
  readonly readable: readonly Module[];
}

export interface Founding {
  /** Of the process that makes the agent. */
  readonly epoch: number;
  readonly now: () => number;
  /** Gets the introductions that the events name, and what is too long for a line. */
  readonly kept: Blobs;
}

/** What the log of an agent with this past begins with, up to the point from which it is its own. */
export async function* eventsOf(
  { origin, events, to, changed, held, blobs }: Omit<Past, "readable">,
  { epoch, now, kept }: Founding,
): AsyncGenerator<Stored<Event>> {
  const introductions = new Set<string>();
  const repack = repacking();
  const opening = (log: LogId, stamp: Stamp): Event => ({
    ...stamp,
    kind: "opened",
    format: LOG_FORMAT,
    log,
    seals: {},
  });
  let last = 0;
  for await (const read of events) {
    if (read.seq > to) break;
    const event = read.seq === changed?.seq ? reworded(read, changed.content) : read;
    const { seq, epoch: before, at } = event;
    if (last === 0 && event.kind !== "opened")
      yield opening(randomUUID(), { seq: seq - 1, epoch: before, at });
    if (event.kind === "prompted" && !introductions.has(event.introduction)) {
      introductions.add(event.introduction);
      const text = await blobs.read(event.introduction);
      if (text !== undefined) await kept.keep(text);
    }
    const record = repack(event);
    yield outline(record, longStrings(record), kept);
    last = seq;
  }
  const stamp = (): Stamp => ({ seq: ++last, epoch, at: new Date(now()).toISOString() });
  const branch: BranchEvent = {
    ...{ kind: "branch", to: Math.min(to, last), origin },
    ...(changed && { changed: changed.seq }),
  };
  yield opening(randomUUID(), stamp());
  yield { ...stamp(), ...branch };
  if (held) yield { ...stamp(), ...modeNotice({ mode: "held" }) };
}

/** What somebody else wrote of a result for people tells of the old words. */
function reworded(event: Event, content: string): Event {
  if (event.kind === "message") {
    const { shown: _, ...said } = event;
    return { ...said, message: { ...event.message, content } };
  }
  if (event.kind !== "result") return event;
  const { details: _, keeps: __, ...result } = event;
  return { ...result, content };
}
