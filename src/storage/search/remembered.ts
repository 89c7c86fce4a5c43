// Memories that can be searched.

import { rm } from "node:fs/promises";
import { isLegionError } from "../../base/errors.ts";
import type { MemoryQuery, RememberedEntry } from "../../domain/authoring/memories.ts";
import type { MemoryId } from "../../domain/memory/memory-id.ts";
import { entriesFrom, entryOf, fits } from "../../past/memory/recall.ts";
import type { Memories, MemoryReader } from "../contract/memory/memories.ts";
import { openSearch } from "./open.ts";
import type { Hit, Search } from "./search.ts";
import type { SearchThread } from "./thread.ts";

type Unsearched = Omit<Memories, "search">;

/** Shards of context are hits as well: so many more are asked for at first, which is mostly enough, and faster. */
const BESIDE = 2;

/**
 * Through an index for each.
 *
 * @param folderOf the folder of a memory's index on this machine, a cache: absolute, and it may go at any time
 * @param thread absent: the one that all searches of this process share
 */
export function indexed(
  memories: Unsearched,
  folderOf: (id: MemoryId) => string,
  thread?: SearchThread,
): Memories {
  const searches = new Map<MemoryId, Search>();
  const searchOf = (id: MemoryId): Search => {
    const known = searches.get(id);
    if (known) return known;
    const reader = memories.read(id);
    const log = async () => (await reader.standing()).log;
    const opened = openSearch({
      ...{ folder: folderOf(id), memory: { log, events: reader.events } },
      ...(thread && { thread }),
    });
    searches.set(id, opened);
    return opened;
  };
  const entriesOf = async (id: MemoryId, hits: readonly Hit[]): Promise<readonly RememberedEntry[]> => {
    const events = await memories.read(id).pick(hits.map(({ seq }) => seq));
    const found = new Map(events.map((event) => [event.seq, entryOf(event)]));
    return hits.flatMap(({ seq }) => found.get(seq) ?? []);
  };
  return {
    ...memories,
    async search(id, query) {
      const { limit } = query;
      const search = searchOf(id);
      const hits = await search.search({ ...query, limit: limit * BESIDE }).catch(unlessUnindexed);
      if (!hits) return scan(memories.read(id), query);
      const found = await entriesOf(id, hits);
      if (found.length >= limit || hits.length < limit * BESIDE) return found.slice(0, limit);
      return entriesOf(id, await search.search({ ...query, only: "entries" }));
    },
    async change(id, plan) {
      let forgets = false;
      await memories.change(id, async (standing, reader) => {
        const events = await plan(standing, reader);
        forgets = events.some(({ kind }) => kind === "forgotten");
        return events;
      });
      // The next search builds another one.
      if (forgets) await rm(folderOf(id), { recursive: true, force: true });
    },
    async close() {
      for (const search of searches.values()) await search.close();
      searches.clear();
      await memories.close();
    },
  };
}

/** It is only a cache: where there can be none, the memory is read. */
function unlessUnindexed(error: unknown): undefined {
  if (!isLegionError(error, "STORAGE")) throw error;
}

/** By reading all of it, where nothing may be kept beside it. */
export function readThrough(memories: Unsearched): Memories {
  return { ...memories, search: (id, query) => scan(memories.read(id), query) };
}

async function scan(memory: MemoryReader, query: MemoryQuery): Promise<readonly RememberedEntry[]> {
  const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
  const score = ({ raw, summary }: RememberedEntry): number => {
    const text = `${raw} ${summary}`.toLowerCase();
    return words.filter((word) => text.includes(word)).length;
  };
  return (await entriesFrom(memory, 1))
    .filter((entry) => fits(entry, query))
    .map((entry) => ({ entry, score: score(entry) }))
    .filter((one) => one.score > 0)
    .sort((a, b) => b.score - a.score || b.entry.seq - a.entry.seq)
    .slice(0, query.limit)
    .map(({ entry }) => entry);
}

/** The same for whoever has no way of its own. */
export async function pickFrom(
  { events }: Pick<MemoryReader, "events">,
  seqs: readonly number[],
): ReturnType<MemoryReader["pick"]> {
  const picked = seqs.map(async (seq) => {
    for await (const event of events(seq)) return event.seq === seq ? [event] : [];
    return [];
  });
  return (await Promise.all(picked)).flat();
}
