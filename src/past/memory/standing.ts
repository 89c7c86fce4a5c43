// What the log of a long-term memory adds up to. One pure fold, event by event: enough to go on writing, and to know where the
// context and the newest entries are, without anything of what was said.

import { CONTROL, type AgentId, type LogId } from "../../domain/message/message.ts";
import type { ForgottenEvent, MemoryEvent } from "../../domain/memory/record.ts";
import type { WordlessEvent } from "./words.ts";

export interface MemoryStanding {
  /** Absent: nothing was ever sent there. */
  log?: LogId;
  /** The highest sequence number. */
  last: number;
  /** When the newest event came, ISO 8601; empty before the first. */
  at: string;
  /** Per sender log, the highest number taken in. */
  readonly seen: Map<LogId, number>;
  /** Whose shards of context count, besides the person's; absent: nobody's yet. */
  keeper?: AgentId;
  /** The shards that count and are not forgotten, by their numbers, oldest first. */
  contexts: readonly number[];
  /** How many entries there are that are not forgotten. */
  entries: number;
  /** The newest event that forgot something. */
  forgottenAt?: number;
  /** Shards of others than the keeper. */
  strays: number;
}

export function createStanding(): MemoryStanding {
  return { last: 0, at: "", seen: new Map(), contexts: [], entries: 0, strays: 0 };
}

/** How many shards are known by their numbers: what is older is only read. */
export const MAX_CONTEXTS = 1_000;

/** Takes one event into account, with its words or without. Events come in the order of the log. */
export function accountMemory(standing: MemoryStanding, event: MemoryEvent | WordlessEvent): void {
  standing.last = event.seq;
  standing.at = event.at;
  switch (event.kind) {
    case "opened":
      standing.log = event.log;
      break;
    case "entry":
      standing.entries++;
      see(standing, event);
      break;
    case "context":
      see(standing, event);
      if (counts(standing, event.by))
        standing.contexts = [...standing.contexts, event.seq].slice(-MAX_CONTEXTS);
      else standing.strays++;
      break;
    case "kept":
      standing.keeper = event.by;
      break;
    case "void":
      see(standing, event);
      break;
    case "forgotten":
      forget(standing, event);
      break;
    case "adopted":
      break;
  }
}

function see(
  { seen }: MemoryStanding,
  { from, mail }: { readonly from: LogId; readonly mail: number },
): void {
  if (mail > 0) seen.set(from, mail);
}

/** Does a shard of context that `by` sends now count? */
export function counts({ keeper }: Pick<MemoryStanding, "keeper">, by: AgentId): boolean {
  return by === CONTROL || by === keeper;
}

function forget(standing: MemoryStanding, { seqs, entries }: ForgottenEvent): void {
  standing.forgottenAt = standing.last;
  const gone = new Set(seqs);
  const before = standing.contexts.length;
  standing.contexts = standing.contexts.filter((seq) => !gone.has(seq));
  standing.entries -= entries;
  // What was neither was a shard of somebody else, or one too old to be known by its number.
  const others = seqs.length - entries - (before - standing.contexts.length);
  standing.strays = Math.max(0, standing.strays - others);
}
