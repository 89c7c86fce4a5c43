import type { Network } from "../../../src/domain/authoring/network.ts";

/** One page that was found. Title and snippet are plain text on one line and may be empty. */
export interface SearchHit {
  readonly title: string;
  /** http or https. */
  readonly url: string;
  readonly snippet: string;
}

export interface SearchOptions {
  readonly network: Network;
  readonly signal: AbortSignal;
}

export interface SearchProvider {
  /** As results and errors call it. */
  readonly name: string;
  /** The URL of the service. */
  readonly address: string;
  /**
   * At most 10 hits, best first, none twice. Rejects with a SearchError where the service gives no answer, with the signal's
   * reason when it aborts.
   */
  search(query: string, options: SearchOptions): Promise<readonly SearchHit[]>;
}

/** Why there are no results, in one sentence for the agent that asked. Holds no key and nothing that the service said. */
export class SearchError extends Error {
  /** What the service said, for people; without keys. */
  readonly details: unknown;

  constructor(message: string, details?: unknown) {
    super(message);
    this.name = "SearchError";
    this.details = details;
  }
}
