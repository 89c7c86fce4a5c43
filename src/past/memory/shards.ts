// The shards of a memory's context, and which of them hold something of what is to be forgotten.

import type { RememberedContext, RememberedEntry } from "../../domain/authoring/memories.ts";
import { CONTROL } from "../../domain/message/message.ts";
import type { ContextNote } from "../../domain/memory/record.ts";
import { toEntry, type MemoryLog } from "./recall.ts";
import { accountMemory, createStanding } from "./standing.ts";

export interface Shard extends RememberedContext, ContextNote {
  /** `stray`: it is of somebody who did not keep the memory then. */
  readonly state: "counts" | "stray";
}

/** All that is in a memory and not forgotten, oldest first. */
export interface MemoryContents {
  readonly entries: readonly RememberedEntry[];
  readonly shards: readonly Shard[];
}

export async function contentsOf(memory: Pick<MemoryLog, "events">): Promise<MemoryContents> {
  const standing = createStanding();
  const entries = new Map<number, RememberedEntry>();
  const shards = new Map<number, Shard>();
  for await (const event of memory.events()) {
    accountMemory(standing, event);
    if (event.kind === "entry") entries.set(event.seq, toEntry(event));
    else if (event.kind === "context") {
      const { seq, at, by, content, upTo, base, taint } = event;
      const state = standing.contexts.at(-1) === seq ? "counts" : "stray";
      shards.set(seq, { seq, at, by, content, upTo, base, taint, state });
    } else if (event.kind === "forgotten")
      for (const seq of event.seqs) {
        entries.delete(seq);
        shards.delete(seq);
      }
  }
  return { entries: [...entries.values()], shards: [...shards.values()] };
}

/**
 * The numbers of those shards that may hold something of the entries and shards `seqs`, without these themselves. A shard was
 * made of the entries up to its `upTo`, from behind that of its base, and of all that its base holds; without a base that is
 * known, of all entries up to there. A person may have put into theirs whatever they read until then.
 *
 * @param shards oldest first
 */
export function builtOn(
  seqs: readonly number[],
  shards: readonly Pick<Shard, "seq" | "by" | "upTo" | "base">[],
): readonly number[] {
  const gone = new Set(seqs);
  const holding = new Set<number>();
  const known = new Map<number, Pick<Shard, "upTo">>();
  for (const { seq, by, upTo, base = 0 } of shards) {
    const before = known.get(base)?.upTo ?? 0;
    const newest = by === CONTROL ? seq : upTo;
    const isTold = (one: number): boolean => one > before && one <= newest;
    if (gone.has(base) || holding.has(base) || seqs.some(isTold)) holding.add(seq);
    known.set(seq, { upTo });
  }
  return [...holding].filter((seq) => !gone.has(seq));
}
