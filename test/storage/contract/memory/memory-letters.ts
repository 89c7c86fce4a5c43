// What is sent to a memory, and what is in it then.

import type { ContextNote, EntryNote, MemoryEvent } from "../../../../src/domain/memory/record.ts";
import type { Delivery } from "../../../../src/domain/message/message.ts";
import type { Memories } from "../../../../src/storage/contract/memory/memories.ts";
import { letter, type Words } from "../../../mail/letter.ts";

export const ID = "main/legion";

/** A place that outlives whoever opens it. */
export interface MemoriesPlace {
  /** As another process would; those before may still have it open. */
  open(): Promise<Memories>;
  /** What was opened dies, as by kill -9. */
  kill(memories: Memories): Promise<void>;
  /** Every byte that is kept. */
  bytes(): Promise<string>;
}

export const NOTE: EntryNote = {
  summary: "Ada asked",
  role: "user",
  speaker: "0",
  thread: "0,1",
  said: "2026-01-01T00:00:00.000Z",
  tags: { topic: "boats" },
  summarised: "model",
};

export const entry = (n: number, words: Words & { readonly note?: Partial<EntryNote> } = {}): Delivery =>
  letter(ID, n, { details: { entry: { ...NOTE, ...words.note } }, ...words });

export const context = (n: number, words: Words & Partial<ContextNote> = {}): Delivery => {
  const { upTo = 0, base, asOf } = words;
  const made = { ...(base !== undefined && { base }), ...(asOf !== undefined && { asOf }) };
  return letter(ID, n, { details: { context: { upTo, ...made } }, ...words });
};

export async function eventsOf(memories: Memories, from?: number): Promise<MemoryEvent[]> {
  const events: MemoryEvent[] = [];
  for await (const event of memories.read(ID).events(from)) events.push(event);
  return events;
}

export const kinds = (events: readonly MemoryEvent[]): string[] => events.map(({ kind }) => kind);
