import type { Client } from "@modelcontextprotocol/client";

/** A server that answers. */
export interface Link {
  readonly client: Client;
  /** Resolves when the server has gone, with what is known of why, in one sentence. */
  readonly gone: Promise<string>;
  /** Ends it, whatever it does. Resolves when nothing of it is left. */
  end(): Promise<void>;
}

export interface Attempt {
  /** Aborts when nothing may be begun any more. */
  readonly signal: AbortSignal;
  /** How often it did not come to a connection in a row, before. */
  readonly failed: number;
}

/** Rejects with why not, in one sentence; then nothing of it is left. */
export type OpenLink = (attempt: Attempt) => Promise<Link>;
