// Finding what was said: an index beside each long-term memory, which is a cache of what the memory's log says.

import type { MemoryEvent, EntryRole } from "../../domain/memory/record.ts";
import type { LogId } from "../../domain/message/message.ts";

/** All that is given has to hold. But for `since` and `until`, whatever is asked besides the text keeps contexts out. */
export interface SearchQuery {
  /** Words in any order, or a question: never the syntax of an engine. What is past its first 10,000 characters is not read. */
  readonly text: string;
  /** At least 1. */
  readonly limit: number;
  readonly role?: EntryRole;
  readonly speaker?: string;
  /** ISO 8601, the first moment that counts: of an entry when it was said, of a context when it was written. */
  readonly since?: string;
  /** ISO 8601, the last moment that counts. */
  readonly until?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

export interface Hit {
  /** The number of an `entry` or a `context` in the memory's log. */
  readonly seq: number;
  /** Of the hits of one search, more is better; nothing else may be compared. */
  readonly score: number;
}

/** What is searched, read from where it is kept. */
export interface SearchedMemory {
  /** The id of its log; `undefined`: there is nothing in it. */
  log(): Promise<LogId | undefined>;
  /** Oldest first, from this number on, up to what is there now. */
  events(from: number): AsyncIterable<MemoryEvent>;
}

export interface Search {
  /**
   * Best first, and of equals the newest; empty if nothing is found. Everything that is in the log when it is called is
   * found, and nothing that is forgotten there. Rejects with USAGE for a time that is none, with STORAGE if there can be no index
   * even in memory, with REFUSED once closed, and with whatever the memory rejects with.
   */
  search(query: SearchQuery): Promise<readonly Hit[]>;
  /** What has not been answered rejects. */
  close(): Promise<void>;
}
