// The long-term memories that an agent reaches.

import { onceEach } from "../../base/once-each.ts";
import { LegionError } from "../../base/errors.ts";
import type { HostMemory } from "../../domain/authoring/memories.ts";
import type { MemoryId } from "../../domain/memory/memory-id.ts";
import { contextOf, entriesAfter, newestEntries } from "../../past/memory/recall.ts";
import { foreignMemory } from "../../storage/contract/foreign.ts";
import type { Memories } from "../../storage/contract/memory/memories.ts";

function refuse(): never {
  throw new LegionError("REFUSED", "No memory is read here.");
}

/** For agents that read nothing: of each only its name is known. */
export const NO_MEMORIES: Pick<Memories, "read" | "search"> = {
  read: refuse,
  search: async () => refuse(),
};

/** The same for agents that run: each memory has taken in by then what a person made of its context while nobody wrote there. */
export function openingIn(memories: Pick<Memories, "read" | "search" | "known" | "change">) {
  const takeEdit = onceEach(async (id) => {
    // Nothing is made by looking; and what cannot be taken in now is no reason not to run.
    if ((await memories.known()).includes(id))
      await memories.change(id, () => Promise.resolve([])).catch(() => undefined);
  });
  return async (ids: readonly MemoryId[] = []): Promise<readonly HostMemory[]> => {
    await Promise.all(ids.map(takeEdit));
    return reachedMemories(ids, memories);
  };
}

/** In their order. Of one that somebody else wrote nothing is told: reading it rejects with FOREIGN. */
export function reachedMemories(
  ids: readonly MemoryId[] = [],
  memories: Pick<Memories, "read" | "search">,
): readonly HostMemory[] {
  return ids.map((id): HostMemory => {
    const own = async () => {
      const reader = memories.read(id);
      if (await reader.isForeign()) throw foreignMemory(id);
      return reader;
    };
    return {
      id,
      check: async () => void (await own()),
      holds: async (seq) => (await (await own()).standing()).contexts.includes(seq),
      last: async () => (await (await own()).standing()).last,
      context: async () => contextOf(await own()),
      entries: async (limit) => newestEntries(await own(), limit),
      entriesAfter: async (seq, limit) => entriesAfter(await own(), seq, limit),
      async search(query) {
        await own();
        return memories.search(id, query);
      },
    };
  });
}
