// The long-term memories that an agent reaches.

import { LegionError } from "../../base/errors.ts";
import type { HostMemory } from "../../domain/authoring/memories.ts";
import type { MemoryId } from "../../domain/memory/memory-id.ts";
import { contextOf, newestEntries } from "../../past/memory/recall.ts";
import { foreignMemory } from "../../storage/contract/foreign.ts";
import type { Memories } from "../../storage/contract/memories.ts";
import { searchMemory } from "../../storage/contract/search-memory.ts";

/** For agents that read nothing: of each only its name is known. */
export const NO_MEMORIES: Pick<Memories, "read"> = {
  read(): never {
    throw new LegionError("REFUSED", "No memory is read here.");
  },
};

/** In their order. Of one that somebody else wrote nothing is told: reading it rejects with FOREIGN. */
export function reachedMemories(
  ids: readonly MemoryId[] = [],
  memories: Pick<Memories, "read">,
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
      context: async () => contextOf(await own()),
      entries: async (limit) => newestEntries(await own(), limit),
      search: async (query) => searchMemory(await own(), query),
    };
  });
}
