// A memory's index: the one in its folder, which is what the log said when it was last searched. Whatever is wrong with that, another
// one is built; where none can be written, in memory.

import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LegionError } from "../../base/errors.ts";
import type { LogId } from "../../domain/message/message.ts";
import { OF_ENTRIES, wantedFacets } from "./facets.ts";
import { follow } from "./follow.ts";
import type { IndexOrigin, IndexQuery, Mark, SearchOrder, SearchReply } from "./order.ts";
import type { Hit, Search, SearchedMemory, SearchQuery } from "./search.ts";
import { createSearchThread, type SearchThread } from "./thread.ts";

export interface SearchOptions {
  /**
   * Absolute: the cache of this memory on this node. It need not be there, and may go at any time; several processes may share
   * it. What was forgotten is in no file of it once a search has followed the log so far, or the folder was removed.
   */
  readonly folder: string;
  readonly memory: SearchedMemory;
  /** Absent: the one that all searches of this process share. */
  readonly thread?: SearchThread;
}

/** What all of its searches go by. */
interface OpenedSearch extends Required<SearchOptions> {
  readonly number: number;
  readonly closing: AbortController;
  /** Whose log is indexed in memory; absent: what is searched is in the folder. */
  inMemory: LogId | undefined;
}

const MAX_TEXT = 10_000;
/** How long another process may take with its search. Then this one builds an index of its own beside it. */
const PATIENCE_MS = 2_000;
const RETRY_MS = 20;

/** Where an index is looked for when there is something wrong with the one before. */
const NEXT: Readonly<Record<IndexOrigin, IndexOrigin | undefined>> = {
  kept: "anew",
  anew: "memory",
  erased: "memory",
  memory: undefined,
};

/** The thread could not do it: what it was at is gone. */
class SearchFault extends Error {}

const processThread = createSearchThread();

export function openSearch({ memory, thread = processThread, ...options }: SearchOptions): Search {
  const folder = resolve(options.folder);
  const number = thread.enter();
  const closing = new AbortController();
  const opened: OpenedSearch = { folder, memory, thread, number, closing, inMemory: undefined };
  return {
    async search(query) {
      const wanted = toIndexQuery(query);
      return thread.inTurn(folder, () => unlessClosed(closing.signal, () => search(opened, wanted)));
    },
    async close() {
      closing.abort(new LegionError("REFUSED", "the search is closed"));
      await thread.leave(number);
    },
  };
}

/** Nobody who closes has to wait until a log has been read. */
async function unlessClosed<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let leave: (() => void) | undefined;
  const closed = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason as Error);
    signal.addEventListener("abort", leave);
  });
  try {
    return await Promise.race([run(), closed]);
  } finally {
    if (leave) signal.removeEventListener("abort", leave);
  }
}

async function search(opened: OpenedSearch, query: IndexQuery): Promise<readonly Hit[]> {
  const log = await opened.memory.log();
  if (log === undefined) {
    // What is gone is gone: nothing of it stays in the folder.
    await rm(opened.folder, { recursive: true, force: true }).catch(() => undefined);
    return [];
  }
  const forgotten = new Set<number>();
  let origin: IndexOrigin = opened.inMemory === undefined || opened.inMemory === log ? "kept" : "memory";
  for (;;) {
    try {
      const found = await searchIn(opened, { log, origin, forgotten, query });
      if (found !== "changed" && found !== "stale") return found;
      if (opened.inMemory === undefined) origin = found === "stale" ? "erased" : "anew";
      else origin = "memory";
    } catch (error) {
      if (!(error instanceof SearchFault)) throw error;
      opened.inMemory = undefined;
      const next: IndexOrigin | undefined = NEXT[origin];
      if (next === undefined)
        throw new LegionError("STORAGE", `the search index cannot be built: ${error.message}`, {
          cause: error,
        });
      origin = next;
    }
  }
}

interface Attempt {
  readonly log: LogId;
  readonly origin: IndexOrigin;
  readonly forgotten: Set<number>;
  readonly query: IndexQuery;
}

/** What `follow` resolves with if that is not well. */
async function searchIn(opened: OpenedSearch, { log, origin, forgotten, query }: Attempt) {
  const { memory, closing, number } = opened;
  const upTo = await begin(opened, log, origin);
  if (origin === "memory") opened.inMemory = log;
  let isWorthless = false;
  try {
    const followed = await follow({
      memory,
      upTo,
      forgotten,
      add: async (portion) => !(await send(opened, { does: "add", search: number, portion })).isStale,
      signal: closing.signal,
    });
    if (followed !== "followed") {
      isWorthless = true;
      return followed;
    }
    const { hits = [] } = await send(opened, { does: "find", search: number, query });
    return hits;
  } finally {
    // After a fault nothing is left of it, and whoever closes ends it.
    if (!closing.signal.aborted)
      await opened.thread.send({ does: isWorthless ? "drop" : "end", search: number });
  }
}

/** Resolves with how far the index is. */
async function begin(opened: OpenedSearch, log: LogId, origin: IndexOrigin): Promise<Mark> {
  const { folder, number: search, closing } = opened;
  const impatientAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const { upTo } = await send(opened, { does: "begin", search, folder, log, origin });
    if (upTo) return upTo;
    if (Date.now() >= impatientAt) return begin(opened, log, "anew");
    await sleep(RETRY_MS, undefined, { signal: closing.signal });
  }
}

async function send({ thread, closing }: OpenedSearch, order: SearchOrder): Promise<SearchReply> {
  closing.signal.throwIfAborted();
  const reply = await thread.send(order);
  closing.signal.throwIfAborted();
  if (reply.fault !== undefined) throw new SearchFault(reply.fault);
  return reply;
}

function toIndexQuery(query: SearchQuery): IndexQuery {
  return {
    text: query.text.slice(0, MAX_TEXT),
    limit: query.limit,
    since: toTime(query.since),
    until: toTime(query.until),
    facets: [...wantedFacets(query), ...(query.only ? [OF_ENTRIES] : [])],
  };
}

function toTime(text: string | undefined): number | undefined {
  const time = text === undefined ? undefined : Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new LegionError("USAGE", `"${text}" is no time; write one like 2026-11-24 or 2026-11-24T09:30:00Z`);
}
