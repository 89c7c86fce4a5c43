// What a module may ask of the long-term memories that its agent reaches.

import type { ContextNote, EntryNote, EntryRole } from "../memory/record.ts";
import type { Taint } from "../message/taint.ts";

/** What was said, as a memory keeps it. */
export interface RememberedEntry extends EntryNote {
  /** Its number in the memory. */
  readonly seq: number;
  /** When it was entered, ISO 8601. */
  readonly at: string;
  /** The agent that entered it. */
  readonly by: string;
  readonly raw: string;
  /** From where outside it came; absent: nobody from outside had a part in it. */
  readonly taint?: Taint;
}

/** The newest shard of a memory's context that counts. */
export interface RememberedContext {
  readonly seq: number;
  /** The newest entry that it was made of; 0 for none. */
  readonly upTo: number;
  readonly at: string;
  readonly by: string;
  readonly content: string;
  readonly taint?: Taint;
}

/** What is looked for in a memory; all of it has to hold. */
export interface MemoryQuery {
  /** Words; of them as many as can be found. */
  readonly text: string;
  readonly limit: number;
  readonly role?: EntryRole;
  readonly speaker?: string;
  /** ISO 8601, both ends included. */
  readonly since?: string;
  readonly until?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The moments between which something was said, where a day without a time of day is the whole day, in UTC. Throws RangeError for what is no time. */
export function momentsOf({
  since,
  until,
}: Pick<MemoryQuery, "since" | "until">): Pick<MemoryQuery, "since" | "until"> {
  const end = until !== undefined && DAY.test(until) ? `${until}T23:59:59.999Z` : until;
  return {
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(end !== undefined && { until: new Date(end).toISOString() }),
  };
}

/** A long-term memory that an agent reaches. What the agent has sent to it before is waited for. */
export interface HostMemory {
  /** `<vault>/<memory>`. */
  readonly id: string;
  /** Rejects with FOREIGN if somebody else wrote it: then nothing is read there, or sent. */
  check(): Promise<void>;
  /** The number of its newest event; 0 where there is none. */
  last(): Promise<number>;
  /** `undefined` if there is none. */
  context(): Promise<RememberedContext | undefined>;
  /** Does the shard of context of that number still count? It does not once it is forgotten. */
  holds(seq: number): Promise<boolean>;
  /** The newest, oldest first. */
  entries(limit: number): Promise<readonly RememberedEntry[]>;
  /** Those behind number `seq`, oldest first, at most `limit`. */
  entriesAfter(seq: number, limit: number): Promise<readonly RememberedEntry[]>;
  /** Best first. */
  search(query: MemoryQuery): Promise<readonly RememberedEntry[]>;
}

/** A document that takes the place of a memory's context. */
export interface NewContext extends ContextNote {
  readonly content: string;
}

/** What a module keeps in a memory. `said`: absent: now. */
export interface NewEntry extends Omit<EntryNote, "said"> {
  readonly raw: string;
  readonly said?: string;
}
