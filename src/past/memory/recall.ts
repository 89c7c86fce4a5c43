// What is read of a long-term memory: its context, its newest entries, and those that contain what is looked for.

import type { MemoryQuery, RememberedContext, RememberedEntry } from "../../domain/authoring/memories.ts";
import type { MemoryEvent } from "../../domain/memory/record.ts";
import type { MemoryStanding } from "./standing.ts";

/** The log of a memory, to be read. */
export interface MemoryLog {
  standing(): Promise<MemoryStanding>;
  /** From sequence number `from`, oldest first. Of what was forgotten all words are empty. */
  events(from?: number): AsyncIterable<MemoryEvent>;
}

/** The newest shard that counts; `undefined` if there is none, or it was emptied. */
export async function contextOf(memory: MemoryLog): Promise<RememberedContext | undefined> {
  const { contexts } = await memory.standing();
  const newest = contexts.at(-1);
  if (newest === undefined) return undefined;
  for await (const event of memory.events(newest)) {
    if (event.seq !== newest || event.kind !== "context" || event.content === "") return undefined;
    const { seq, upTo, at, by, content, taint } = event;
    return { seq, upTo, at, by, content, taint };
  }
  return undefined;
}

/** How far back is looked first, for each entry that is wanted. */
const REACH = 4;

/** The newest `limit` entries, oldest first. */
export async function newestEntries(memory: MemoryLog, limit: number): Promise<readonly RememberedEntry[]> {
  const { last } = await memory.standing();
  for (let reach = limit * REACH; ; reach *= REACH) {
    const from = Math.max(1, last - reach + 1);
    const found = await entriesFrom(memory, from);
    if (found.length >= limit || from === 1) return found.slice(-limit);
  }
}

/** The oldest `limit` entries behind number `seq`, oldest first. */
export async function entriesAfter(
  memory: MemoryLog,
  seq: number,
  limit: number,
): Promise<readonly RememberedEntry[]> {
  const found: RememberedEntry[] = [];
  // Of what was forgotten since the words are empty.
  for await (const event of memory.events(seq + 1)) {
    if (event.kind === "entry" && event.raw !== "") found.push(toEntry(event));
    if (found.length >= limit) break;
  }
  return found;
}

/** Every entry from number `from` on that is not forgotten, oldest first. */
export async function entriesFrom(memory: MemoryLog, from: number): Promise<readonly RememberedEntry[]> {
  const found = new Map<number, RememberedEntry>();
  for await (const event of memory.events(from)) {
    if (event.kind === "entry") found.set(event.seq, toEntry(event));
    else if (event.kind === "forgotten") for (const seq of event.seqs) found.delete(seq);
  }
  return [...found.values()];
}

/** `undefined` for what is no entry, or is forgotten. */
export function entryOf(event: MemoryEvent): RememberedEntry | undefined {
  return event.kind === "entry" && event.thread !== "" ? toEntry(event) : undefined;
}

export function toEntry({
  kind: _kind,
  mail: _mail,
  from: _from,
  epoch: _epoch,
  heard: _heard,
  ...entry
}: Extract<MemoryEvent, { kind: "entry" }>): RememberedEntry {
  return entry;
}

/** Is it what `query` asks for, but for its words? */
export function fits(entry: RememberedEntry, query: MemoryQuery): boolean {
  const { role, speaker, since, until, tags = {} } = query;
  const saidMs = Date.parse(entry.said);
  return (
    (role === undefined || entry.role === role) &&
    (speaker === undefined || entry.speaker === speaker) &&
    (since === undefined || saidMs >= Date.parse(since)) &&
    (until === undefined || saidMs <= Date.parse(until)) &&
    Object.entries(tags).every(
      ([name, value]) => Object.hasOwn(entry.tags, name) && entry.tags[name] === value,
    )
  );
}
