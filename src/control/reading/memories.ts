// What is in the long-term memories that an agent reaches: the newest of it, or what some words find.

import { isLegionError, messageOf } from "../../base/errors.ts";
import { excerptOf } from "../../domain/authoring/excerpt.ts";
import type { HostMemory, RememberedContext, RememberedEntry } from "../../domain/authoring/memories.ts";
import type { MemoryId } from "../../domain/memory/memory-id.ts";
import { LISTED } from "../../domain/memory/record.ts";
import { sourcesOf } from "../../domain/message/taint.ts";
import { reachedMemories } from "../../legion/hosting/reached-memories.ts";
import type { Memories } from "../../storage/contract/memory/memories.ts";
import type { ReadingAnswer } from "../api/readings.ts";

type MemoryRow = ReadingAnswer<"memory">["memories"][number];

/** Of each entry, in characters. */
const MOST_TEXT = 4_000;

/** @param find words; absent: the newest entries */
export async function readMemories(
  memories: Pick<Memories, "read" | "search">,
  ids: readonly MemoryId[] = [],
  find?: string,
): Promise<ReadingAnswer<"memory">> {
  const rows = reachedMemories(ids, memories).map(async (memory): Promise<MemoryRow> => {
    const nothing = { entries: 0, at: null, keeper: null, context: null, found: [], problem: null };
    try {
      return { memory: memory.id, ...nothing, ...(await contentsOf(memory, memories, find)) };
    } catch (error) {
      if (!isLegionError(error)) throw error;
      return { memory: memory.id, ...nothing, problem: messageOf(error) };
    }
  });
  return { memories: await Promise.all(rows) };
}

async function contentsOf(memory: HostMemory, memories: Pick<Memories, "read">, find: string | undefined) {
  await memory.check();
  const { entries, at, keeper = null } = await memories.read(memory.id).standing();
  const context = await memory.context();
  const found =
    find === undefined
      ? (await memory.entries(LISTED)).toReversed()
      : await memory.search({ text: find, limit: LISTED });
  return {
    ...{ entries, at: at || null, keeper },
    context: context ? contextRow(context) : null,
    found: found.map((entry) => entryRow(entry, find)),
  };
}

function contextRow({ seq, at, by, content, taint }: RememberedContext): MemoryRow["context"] {
  return { seq, at, by, content, outside: sourcesOf(taint) };
}

function entryRow(
  { seq, said, speaker, role, thread, tags, raw, taint }: RememberedEntry,
  find = "",
): MemoryRow["found"][number] {
  const { text, before, after } = excerptOf(raw, find, MOST_TEXT);
  const words = { text, cut: before + after, outside: sourcesOf(taint) };
  return { seq, said, speaker, role, thread, tags: { ...tags }, ...words };
}
