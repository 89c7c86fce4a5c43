// Finding what was said: an index beside each long-term memory, which is a cache of what the memory's log says.

import type { MemoryQuery } from "../../domain/authoring/memories.ts";
import type { MemoryEvent } from "../../domain/memory/record.ts";
import type { LogId } from "../../domain/message/message.ts";

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

export interface SearchQuery extends MemoryQuery {
  /** Absent: contexts as well. */
  readonly only?: "entries";
}

export interface Search {
  /**
   * But for `since` and `until`, whatever is asked besides the text keeps contexts out; of the text what is past its first 10,000
   * characters is not read. Best first, and of equals the newest; empty if nothing is found. Everything that is in the log when it is called is
   * found, and nothing that is forgotten there. Rejects with USAGE for a time that is none, with STORAGE if there can be no index
   * even in memory, with REFUSED once closed, and with whatever the memory rejects with.
   */
  search(query: SearchQuery): Promise<readonly Hit[]>;
  /** What has not been answered rejects. */
  close(): Promise<void>;
}
