// The long-term memories of a project: peers without an actor. Each is a log that takes in what is sent to it as it arrives.

import type { MemoryQuery, RememberedEntry } from "../../../domain/authoring/memories.ts";
import type { MemoryEvent, NewMemoryEvent } from "../../../domain/memory/record.ts";
import type { MemoryId } from "../../../domain/memory/memory-id.ts";
import type { Delivery } from "../../../domain/message/message.ts";
import type { Reception } from "../../../mail/bus.ts";
import type { MemoryLog } from "../../../past/memory/recall.ts";
import type { MemoryStanding } from "../../../past/memory/standing.ts";

/**
 *   M5. What is sent to a memory is in its log once `receive` has said so: each once, per sender log in the order of its
 *       numbers, however many processes send. A memory is never full, and need not have been there before.
 *   M6. Shards of context count from the one agent that keeps the memory, and from the person.
 *   M7. What is forgotten is in no answer any more, from the event on that says so; its text is gone from the place when
 *       `change` resolves, or, after a crash, when the memory is written to the next time.
 */
export interface Memories {
  /** Those that there are, in the order of their names. */
  known(): Promise<readonly MemoryId[]>;
  /** Nothing is written, and nothing has to be there. */
  read(memory: MemoryId): MemoryReader;
  /** The entries that contain most of the words, the best first. Rejects with STORAGE where no index can be built. */
  search(memory: MemoryId, query: MemoryQuery): Promise<readonly RememberedEntry[]>;
  /** As `send` of a bus. Rejects with LOCKED or STORAGE while the memory cannot be written to, with FOREIGN if somebody else wrote it. */
  receive(memory: MemoryId, delivery: Delivery): Promise<Reception>;
  /** Adds what the person wants of it; while `plan` decides nobody else writes. Rejects as `receive` and `plan` do; then nothing is added. */
  change(memory: MemoryId, plan: PlanChange): Promise<void>;
  /** Lets others have what it has open. */
  close(): Promise<void>;
}

/** What is to be added where a memory stands like this. */
export type PlanChange = (
  standing: MemoryStanding,
  reader: MemoryReader,
) => Promise<readonly NewMemoryEvent[]>;

export interface MemoryReader extends MemoryLog {
  /** The events of these numbers that are there, in any order; cheaper than reading through what lies between them. */
  pick(seqs: readonly number[]): Promise<readonly MemoryEvent[]>;
  /** Did somebody else write it, so that it waits for the person? */
  isForeign(): Promise<boolean>;
}
