// Agents that are copied out of the place in which they are kept.

import type { Event } from "../../domain/event/event.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Module } from "../../domain/authoring/module.ts";
import type { Mail } from "../../mail/bus.ts";
import type { Blobs, Outlined } from "../../past/log/blobs.ts";
import type { Authorship } from "../folder/person/authorship.ts";

/** Escaped, and as one line, it still is short enough to be read. */
export const MAX_FILE_BYTES = 8 * 1_048_576;
/** So much of a long text is one line. */
export const PIECE_BYTES = 1_048_576;

export interface CopyOptions {
  /** The modules whose state people read in files. */
  readonly readable: readonly Module[];
  /** Signs the logs where nothing is signed yet; absent: they are nobody's. */
  readonly authorship?: Pick<Authorship, "sign">;
}

/** Where agents are copied from. Their moments are fixed by `settle`; the rest is asked for later. */
export interface Source {
  /** What was left out so far, and why; one line each. */
  readonly remarks: readonly string[];
  settle(agent: AgentId): Promise<Settled>;
  /** Every long text that the log names up to its moment. */
  texts(agent: AgentId): AsyncIterable<LongText>;
  /** What is in the mailbox, oldest first; some of it may have been taken in. */
  waiting(agent: AgentId): Promise<readonly Mail[]>;
  /** The log, oldest first, also beyond its moment. */
  parts(agent: AgentId): AsyncIterable<LogPart>;
  blobs(agent: AgentId): Blobs;
  /** Before and after: was it the same, nobody wrote to the agents in between. */
  activity(agents: readonly AgentId[]): Promise<Activity>;
}

export interface Settled {
  /** The last event that counts. */
  readonly moment: number;
  /** What people can read, by path in the agent's folder, as it was at that moment. */
  readonly files: ReadonlyMap<string, string>;
}

export interface LongText {
  readonly hash: string;
  readonly pieces: AsyncIterable<string> | Iterable<string>;
  /** It is no text: each piece is Base64. */
  readonly base64?: true;
}

export interface LogPart {
  /** The segment that begins with it, if one does, and how many lines of it belong to the copy. */
  readonly segment?: { readonly name: string; readonly lines: number };
  /** Those that belong to the copy, each with its newline. */
  readonly lines: readonly Buffer[];
  /** What is in them, and what came after the moment. */
  readonly events: readonly (Event & Outlined)[];
}

export interface Activity {
  /** Somebody may write to them at this moment. */
  readonly isHeld: boolean;
  /** Another one after anybody has written. */
  readonly mark: string;
}
