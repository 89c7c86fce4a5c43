// An agent's log in the memory of a process.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { LOG_FORMAT, type Event, type NewEvent, type Stamp } from "../../domain/event/event.ts";
import type { LogId } from "../../domain/message/message.ts";
import { createWriter } from "../../past/log/blobs.ts";
import type { EventLog } from "../../past/log/event-log.ts";
import { createWhole, packing, type Stored } from "../../past/log/patches.ts";
import type { Following } from "../contract/backend.ts";
import type { KeptAgent } from "./place.ts";

export type KeptEvent = Stored<Event>;

export interface MemoryLogOptions {
  readonly kept: KeptAgent;
  readonly epoch: number;
  readonly now: () => number;
}

/** Calls `each` with every event of the log, oldest first. Writes nothing before the first event. */
export async function openMemoryLog(
  { kept, epoch, now }: MemoryLogOptions,
  each: (event: Event) => void,
): Promise<EventLog> {
  let id: LogId = randomUUID();
  for await (const event of readMemoryLog(kept)) {
    if (event.kind === "opened") id = event.log;
    each(event);
  }
  const put = packing((events: readonly Stored<NewEvent>[]): readonly Event[] => {
    let seq = lastOf(kept);
    const stamp = (): Stamp => ({ seq: ++seq, epoch, at: new Date(now()).toISOString() });
    const opening: Event[] =
      seq === 0 ? [{ ...stamp(), kind: "opened", format: LOG_FORMAT, log: id, seals: {} }] : [];
    const stamped = events.map((event) => ({ ...stamp(), ...event }));
    if (events.length > 0) add(kept, [...opening, ...stamped]);
    return stamped;
  });
  const write = createWriter(put, kept.blobs);
  return {
    id,
    get last() {
      return lastOf(kept);
    },
    append: async (events) => write(events),
    keep: async (events) => write(events),
    settle: () => Promise.resolve(),
    note: (event) => put([event])[0]!,
    read: (from) => readMemoryLog(kept, from),
    close: () => Promise.resolve(),
  };
}

/** Adds all of `events`, or, where one of them is not JSON, none. Throws what JSON.stringify throws. */
export function add({ lines, growth }: KeptAgent, events: readonly KeptEvent[]): void {
  lines.push(...events.map((event) => ({ seq: event.seq, json: JSON.stringify(event) })));
  growth.emit("grown");
}

/** The sequence number of the newest event; 0 if there is none. */
export function lastOf({ lines }: KeptAgent): number {
  return lines.at(-1)?.seq ?? 0;
}

/** What is there now, from sequence number `from`, oldest first; long texts are left where they are. */
export function storedEvents({ lines }: KeptAgent, from = 1): readonly KeptEvent[] {
  const first = lines.findIndex(({ seq }) => seq >= from);
  return first === -1 ? [] : lines.slice(first).map(({ json }) => JSON.parse(json) as KeptEvent);
}

export async function* readMemoryLog(kept: KeptAgent, from?: number): AsyncGenerator<Event, undefined> {
  const recordsFrom = async function* (seq?: number): AsyncGenerator<KeptEvent> {
    yield* storedEvents(kept, seq);
  };
  const whole = createWhole(kept.blobs, recordsFrom);
  for (const event of storedEvents(kept, from)) yield whole(event);
  return undefined;
}

export async function* followMemoryLog(kept: KeptAgent, { from, signal }: Following): AsyncGenerator<Event> {
  let next = from;
  while (!signal.aborted) {
    const grown = once(kept.growth, "grown", { signal }).catch(() => undefined);
    for await (const event of readMemoryLog(kept, next)) {
      next = event.seq + 1;
      yield event;
    }
    await grown;
  }
}
