// What is sent to a long-term memory in place of words: an entry, or a shard of its context. It travels as the `details` of a
// message whose content is what was said, or the document, word for word.

import type { OpenedEvent, Stamp } from "../event/event.ts";
import type { AgentId, LogId, Message } from "../message/message.ts";

/** The longest summary of an entry, in characters. */
export const MAX_SUMMARY = 512;
/** The longest context, in characters. */
export const MAX_CONTEXT = 5_000;
/** How many entries are listed where nobody says, and at most. */
export const LISTED = 25;
export const MAX_LISTED = 50;

export type EntryRole = "user" | "assistant";

/** Of an entry, all but its text. */
export interface EntryNote {
  /** At most MAX_SUMMARY characters. */
  readonly summary: string;
  readonly role: EntryRole;
  /** Who said it: mostly an agent id. */
  readonly speaker: string;
  /** The conversation that it is part of. */
  readonly thread: string;
  /** When it was said, ISO 8601. */
  readonly said: string;
  readonly tags: Readonly<Record<string, string>>;
  /** The message that it is: no other entry is of the same. Absent: somebody entered it on their own. */
  readonly of?: { readonly log: LogId; readonly message: string };
  /** `rules`: the summary is made of pieces of the text. */
  readonly summarised: "model" | "rules";
}

/** Of a shard of context, all but the document. */
export interface ContextNote {
  /** The newest entry that it was made of, by its number in the memory; 0 for none. */
  readonly upTo: number;
  /** The shard that it was made from, by its number; absent: from entries alone. */
  readonly base?: number;
  /** The newest event of the memory when that was read: where something was forgotten since, it counts no more. */
  readonly asOf?: number;
}

/** What a message to a memory holds besides its content. */
export type RecordDetails = { readonly entry: EntryNote } | { readonly context: ContextNote };

export interface EntryEvent extends EntryNote {
  readonly kind: "entry";
  /** Its number among what its sender's log sent to this memory. */
  readonly mail: number;
  /** The sender's log. */
  readonly from: LogId;
  /** Who entered it. */
  readonly by: AgentId;
  /** What was said, word for word. */
  readonly raw: string;
  readonly taint?: Message["taint"];
  /** Of a message whose words are gone: what is left to know it by. */
  readonly heard?: string;
}

export interface ContextEvent extends ContextNote {
  readonly kind: "context";
  readonly mail: number;
  readonly from: LogId;
  readonly by: AgentId;
  readonly content: string;
  readonly taint?: Message["taint"];
}

/** Whose shards of context count from here on. */
export interface KeeperEvent {
  readonly kind: "kept";
  readonly by: AgentId;
}

/** What stood in these events is erased: their number, their time and who sent them stay. */
export interface ForgottenEvent {
  readonly kind: "forgotten";
  readonly seqs: readonly number[];
  /** How many of them were entries. */
  readonly entries: number;
  /** Who wanted it. */
  readonly by: AgentId;
  readonly reason?: string;
}

/** Something was sent here that is no record, or there already, or made of what is forgotten: it counts, and nothing of it is kept. */
export interface VoidEvent {
  readonly kind: "void";
  readonly mail: number;
  readonly from: LogId;
  readonly by: AgentId;
  /** What is wrong with it. */
  readonly reason: string;
  /** It stands for an entry that is forgotten: what is left to know its message by. */
  readonly heard?: string;
}

/** A person took on what stands before this, which was written elsewhere. */
export interface AdoptedEvent {
  readonly kind: "adopted";
}

/** What the log of a memory holds, but for what every log begins with. */
export type NewMemoryEvent =
  EntryEvent | ContextEvent | KeeperEvent | ForgottenEvent | VoidEvent | AdoptedEvent;
export type MemoryEvent = (NewMemoryEvent | OpenedEvent) & Stamp;
export type MemoryEventOf<K extends MemoryEvent["kind"]> = Extract<MemoryEvent, { kind: K }>;
