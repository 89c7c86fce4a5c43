// Looks through a memory for words.

import type { MemoryQuery, RememberedEntry } from "../../domain/authoring/memories.ts";
import { entriesFrom, fits, type MemoryLog } from "../../past/memory/recall.ts";

export async function searchMemory(
  memory: MemoryLog,
  query: MemoryQuery,
): Promise<readonly RememberedEntry[]> {
  const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = (await entriesFrom(memory, 1)).filter((entry) => fits(entry, query));
  const score = ({ raw, summary }: RememberedEntry): number => {
    const text = `${raw} ${summary}`.toLowerCase();
    return words.filter((word) => text.includes(word)).length;
  };
  const scored = found.map((entry) => ({ entry, score: score(entry) })).filter((one) => one.score > 0);
  return scored
    .sort((a, b) => b.score - a.score || b.entry.seq - a.entry.seq)
    .slice(0, query.limit)
    .map(({ entry }) => entry);
}
