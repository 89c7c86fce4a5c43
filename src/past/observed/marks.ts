// How far an observer has come in the logs that it observes, and which messages it has: a fold over the whole of its own log, as
// watermarks are, whatever the branch. It grows with the pairs that talk, not with what they say.

import type { Event } from "../../domain/event/event.ts";
import { orderIn } from "../../domain/event/invoking.ts";
import type { ObservedEvent } from "../../domain/event/observed.ts";
import { parseMessageId, type AgentId, type LogId, type Message } from "../../domain/message/message.ts";

/** Where an observed log is read on. */
export interface ObservedPlace {
  /** The name that the log began with: another one is another log. Empty: it had not begun. */
  readonly root: LogId;
  /** Its name at that place. */
  readonly log: LogId;
  /** The newest event that something was taken in from: more of it may be to be taken in. */
  readonly seq: number;
  /** What stands behind this event is observed. */
  readonly joined: number;
  /** Its name there. */
  readonly joinedLog: LogId;
  /** What was taken in last, as `keyOf` has it; `undefined`: nothing yet. */
  readonly newest?: string;
}

/** Which messages of a pair were taken in, by their numbers. */
export interface SeenNumbers {
  /** The first, and the highest of those behind it. */
  readonly first: number;
  readonly last: number;
  /** The highest of those before the first, where the log is read again from an earlier place; else 0. */
  readonly before: number;
}

export interface ObservedMarks {
  readonly places: Map<AgentId, ObservedPlace>;
  /** By thread, in whose log it was read last. */
  readonly readers: Map<string, AgentId>;
  /** By sender's log and pair. */
  readonly seen: Map<string, SeenNumbers>;
}

export function createObservedMarks(): ObservedMarks {
  return { places: new Map(), readers: new Map(), seen: new Map() };
}

/** Takes one event of the observer's log into account. */
export function foldObserved(marks: ObservedMarks, event: Event | ObservedEvent): void {
  const { places, readers, seen } = marks;
  if (event.kind === "branch" && event.origin !== undefined) {
    // What stands before it was another one's to observe.
    for (const map of [places, readers, seen]) map.clear();
  }
  if (event.kind !== "observed") return;
  const { of, from, control, thread, message } = event;
  const { agent, log, seq } = of;
  if (control === "observe") places.set(agent, { root: from, log, seq, joined: seq, joinedLog: log });
  if (!message) return;
  const place = places.get(agent);
  // What a program orders is read in the observer's own log.
  if (!orderIn(message)) {
    if (!place) return;
    places.set(agent, { ...place, log, seq, newest: keyOf(message, from) });
    readers.set(thread, agent);
  }
  const pair = pairOf(message, from);
  seen.set(pair, withNumber(seen.get(pair), parseMessageId(message.id).n));
}

function withNumber(seen: SeenNumbers | undefined, n: number): SeenNumbers {
  if (!seen) return { first: n, last: n, before: 0 };
  return n < seen.first ? { ...seen, before: n } : { ...seen, last: n };
}

/** Was it taken in, or one that was said after it and is read with it? */
export function isSeen({ seen }: ObservedMarks, message: Message, from: LogId): boolean {
  const numbers = seen.get(pairOf(message, from));
  if (!numbers) return false;
  const { n } = parseMessageId(message.id);
  return n <= (n < numbers.first ? numbers.before : numbers.last);
}

/** Tells a message from every other one. */
export function keyOf({ id }: Message, log: LogId): string {
  return `${log} ${id}`;
}

function pairOf({ id }: Message, log: LogId): string {
  return `${log} ${id.slice(0, id.lastIndexOf("#"))}`;
}
