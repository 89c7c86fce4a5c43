// Memories that are loaded when something is asked of them: most starts never do.

import type { MemoryId } from "../../../domain/memory/memory-id.ts";
import type { Memories, MemoryReader } from "./memories.ts";

/** @param load called at most once while it resolves; a failure is that of what was asked, and it is called again */
export function atFirstUse(load: () => Promise<Memories>): Memories {
  let loading: Promise<Memories> | undefined;
  const loaded = async (): Promise<Memories> => {
    const current = (loading ??= load());
    current.catch(() => (loading = undefined));
    return current;
  };
  const read = (id: MemoryId): MemoryReader => {
    const reader = async (): Promise<MemoryReader> => (await loaded()).read(id);
    return {
      standing: async () => (await reader()).standing(),
      async *events(from) {
        yield* (await reader()).events(from);
      },
      pick: async (seqs) => (await reader()).pick(seqs),
      isForeign: async () => (await reader()).isForeign(),
    };
  };
  return {
    read,
    known: async () => (await loaded()).known(),
    search: async (id, query) => (await loaded()).search(id, query),
    receive: async (id, delivery) => (await loaded()).receive(id, delivery),
    change: async (id, plan) => (await loaded()).change(id, plan),
    close: async () => (await loading)?.close(),
  };
}
