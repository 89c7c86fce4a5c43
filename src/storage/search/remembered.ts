// Memories that can be searched.

import { rm } from "node:fs/promises";
import { isLegionError } from "../../base/errors.ts";
import type { MemoryQuery, RememberedEntry } from "../../domain/authoring/memories.ts";
import type { MemoryId } from "../../domain/memory/memory-id.ts";
import { entriesFrom, entryOf, fits } from "../../past/memory/recall.ts";
import type { Memories, MemoryReader } from "../contract/memory/memories.ts";
import { openSearch } from "./open.ts";
import type { Search } from "./search.ts";

type Unsearched = Omit<Memories, "search">;

/** Shards of context are hits as well: so many more are asked for. */
const BESIDE = 2;

/**
 * Through an index for each.
 *
 * @param folderOf the folder of a memory's index on this machine, a cache: absolute, and it may go at any time
 */
export function indexed(memories: Unsearched, folderOf: (id: MemoryId) => string): Memories {
  const searches = new Map<MemoryId, Search>();
  const searchOf = (id: MemoryId): Search => {
    const known = searches.get(id);
    if (known) return known;
    const reader = memories.read(id);
    const log = async () => (await reader.standing()).log;
    const opened = openSearch({ folder: folderOf(id), memory: { log, events: reader.events } });
    searches.set(id, opened);
    return opened;
  };
  return {
    ...memories,
    async search(id, query) {
      const wanted = { ...query, limit: query.limit * BESIDE };
      const hits = await searchOf(id).search(wanted).catch(unlessUnindexed);
      if (!hits) return scan(memories.read(id), query);
      const events = await memories.read(id).pick(hits.map(({ seq }) => seq));
      const found = new Map(events.map((event) => [event.seq, entryOf(event)]));
      return hits.flatMap(({ seq }) => found.get(seq) ?? []).slice(0, query.limit);
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
