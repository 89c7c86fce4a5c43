// What is said between the thread that searches and whoever asks it.

/** The next events of a log. Of those that can be found each list has one member, in the same order: lists are sent fast. */
export interface Portion {
  readonly seqs: readonly number[];
  /** Milliseconds since 1970; NaN for no time. */
  readonly times: readonly number[];
  /** As of `facets.ts`. */
  readonly facets: readonly string[];
  /** How many bytes its text has. */
  readonly lengths: readonly number[];
  /** All texts in UTF-8, a byte between one and the next; handed over to the thread. */
  readonly texts: Uint8Array;
  /** Numbers of what was forgotten. */
  readonly forgotten: readonly number[];
  /** The last event of it. */
  readonly upTo: Mark;
}

/** An event of a log, by its number and by what tells it apart from another one of that number. */
export interface Mark {
  readonly seq: number;
  readonly print: string;
}

/** A query as an index is asked it. */
export interface IndexQuery {
  readonly text: string;
  readonly limit: number;
  /** Milliseconds since 1970. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  /** All of them; as of `facets.ts`. */
  readonly facets: readonly string[];
}

/**
 * Where an index comes from: `kept`: the one in the folder, if it is of this log; `anew`: an empty one in the folder; `erased`:
 * the same, and whatever else is in the folder is gone; `memory`: one that is on no disk, empty at first.
 */
export type IndexOrigin = "kept" | "anew" | "erased" | "memory";

/** `search` is the number of whoever asks: what it began, it ends. */
export type SearchOrder =
  | {
      readonly does: "begin";
      readonly search: number;
      readonly folder: string;
      readonly log: string;
      readonly origin: IndexOrigin;
    }
  | { readonly does: "add"; readonly search: number; readonly portion: Portion }
  | { readonly does: "find"; readonly search: number; readonly query: IndexQuery }
  /** Others may have it again; one in memory stays. */
  | { readonly does: "end"; readonly search: number }
  /** It is worth nothing. */
  | { readonly does: "drop"; readonly search: number }
  | { readonly does: "close"; readonly search: number };

export interface SearchReply {
  /** To `begin`: how far the index is; number 0 for an empty one. */
  readonly upTo?: Mark;
  /** To `begin`: another process has it. */
  readonly isBusy?: true;
  /** To `add`: it holds what is forgotten now, and is worth nothing. */
  readonly isStale?: true;
  /** To `find`: best first. */
  readonly hits?: readonly { readonly seq: number; readonly score: number }[];
  /** What went wrong; the index is gone. */
  readonly fault?: string;
}
