// A long-term memory, as a program reads it.

import { untilAccepted } from "../../agent/act/own-writes.ts";
import { LegionError } from "../../base/errors.ts";
import type { MemoryQuery, RememberedContext, RememberedEntry } from "../../domain/authoring/memories.ts";
import { momentsOf } from "../../domain/authoring/memories.ts";
import { LISTED } from "../../domain/memory/record.ts";
import { parseMemoryId, type MemoryId } from "../../domain/memory/memory-id.ts";
import type { Legion } from "../../legion/legion.ts";
import { reachedMemories } from "../../legion/hosting/reached-memories.ts";
import type { Memories } from "../../storage/contract/memory/memories.ts";

/** What is looked for: words, and how many are wanted at most. */
export interface MemorySearch extends Omit<MemoryQuery, "limit"> {
  /** At least 1; absent: 10. */
  readonly limit?: number;
}

/**
 * A long-term memory of the project, whoever writes to it. Every method rejects with FOREIGN if somebody else wrote it.
 *
 * @example
 * const memory = legion.memory("main/legion");
 * for (const { said, raw } of await memory.search({ text: "leaking boat" })) console.log(said, raw);
 */
export interface LegionMemory {
  readonly id: MemoryId;
  /** The newest document that is made of it; `undefined` if there is none. */
  context(): Promise<RememberedContext | undefined>;
  /** The newest, oldest first: 25 if nothing is said. Rejects with USAGE for a limit that is no whole number above 0. */
  entries(options?: { readonly limit?: number }): Promise<readonly RememberedEntry[]>;
  /** The entries with most of the words, the best first. Rejects with USAGE for a query without words, or a time that is none. */
  search(query: string | MemorySearch): Promise<readonly RememberedEntry[]>;
  /**
   * Resolves when all that the agents of this program have sent to it is accepted there, so that the next reading finds it; rejects
   * with the reason of `signal` where that makes it give up.
   */
  consistent(options?: { readonly signal?: AbortSignal }): Promise<void>;
}

const FOUND = 10;

/** Throws USAGE for what is no name of a memory. */
export function createLegionMemory(
  id: MemoryId,
  legion: Pick<Legion, "agents">,
  memories: Pick<Memories, "read" | "search">,
): LegionMemory {
  parseMemoryId(id);
  const [memory] = reachedMemories([id], memories);
  return {
    id,
    context: memory!.context,
    entries: async ({ limit = LISTED } = {}) => memory!.entries(checkLimit("entries", limit)),
    async search(query) {
      const { limit = FOUND, ...only } = typeof query === "string" ? { text: query } : query;
      if (typeof only.text !== "string" || only.text.trim() === "")
        throw new LegionError("USAGE", "search: expected words");
      return memory!.search({ ...only, ...momentsIn(only), limit: checkLimit("search", limit) });
    },
    async consistent({ signal = new AbortController().signal } = {}) {
      const running = [...legion.agents.values()].flatMap(({ agent }) => agent ?? []);
      await Promise.all(running.map((agent) => untilAccepted(agent, id, signal)));
    },
  };
}

function checkLimit(where: string, limit: number): number {
  if (Number.isSafeInteger(limit) && limit > 0) return limit;
  throw new LegionError("USAGE", `${where}: limit: expected a whole number above 0`);
}

function momentsIn(query: Pick<MemoryQuery, "since" | "until">) {
  try {
    return momentsOf(query);
  } catch {
    throw new LegionError("USAGE", "search: a time is written like 2026-03-01 or 2026-03-01T12:00:00Z");
  }
}
