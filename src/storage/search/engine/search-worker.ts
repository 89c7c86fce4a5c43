// Where memories are indexed and searched: one thread for all of a process. One search has one index at a time.

import { parentPort } from "node:worker_threads";
import { messageOf } from "../../../base/errors.ts";
import type { Portion, SearchOrder, SearchReply } from "../order.ts";
import { openEmpty, openKept, type FullText } from "./full-text.ts";
import { takeErased, takeKept, takeNew, type HeldIndex } from "./holding.ts";

interface Searching {
  readonly index: FullText;
  /** Absent: it is in memory. */
  readonly held?: HeldIndex;
  isStale: boolean;
}

type Begin = Extract<SearchOrder, { does: "begin" }>;

const searches = new Map<number, Searching>();

function obey(order: SearchOrder): SearchReply {
  switch (order.does) {
    case "begin":
      return begin(order);
    case "add":
      return add(begun(order.search), order.portion);
    case "find":
      return { hits: begun(order.search).index.find(order.query) };
    case "end":
      if (searches.get(order.search)?.held) giveBack(order.search);
      return {};
    case "drop":
      discard(order.search);
      return {};
    case "close":
      giveBack(order.search);
      return {};
  }
}

function begin({ search, folder, log, origin }: Begin): SearchReply {
  if (origin === "memory") {
    discard(search);
    return started(search, { index: openEmpty(log), isStale: false });
  }
  const known = searches.get(search);
  if (known && origin === "kept") return { upTo: known.index.upTo() };
  discard(search);
  const held = take(folder, origin);
  if (!held) return { isBusy: true };
  try {
    return started(search, { index: openIn(held, log, origin), held, isStale: false });
  } catch (error) {
    held.discard();
    throw error;
  }
}

function started(search: number, searching: Searching): SearchReply {
  searches.set(search, searching);
  return { upTo: searching.index.upTo() };
}

function take(folder: string, origin: "kept" | "anew" | "erased"): HeldIndex | undefined {
  if (origin === "kept") return takeKept(folder);
  return origin === "anew" ? takeNew(folder) : takeErased(folder);
}

function openIn(held: HeldIndex, log: string, origin: "kept" | "anew" | "erased"): FullText {
  const kept = origin === "kept" ? openKept(held.file, log) : undefined;
  if (kept) return kept;
  held.empty();
  return openEmpty(log, held.file);
}

function begun(search: number): Searching {
  const searching = searches.get(search);
  if (!searching) throw new Error("its index is gone");
  return searching;
}

function add(searching: Searching, portion: Portion): SearchReply {
  searching.isStale ||= !searching.index.add(portion);
  return searching.isStale ? { isStale: true } : {};
}

function giveBack(search: number): void {
  const searching = searches.get(search);
  searches.delete(search);
  if (!searching) return;
  if (searching.isStale) {
    abandon(searching);
    return;
  }
  try {
    searching.index.close();
  } catch (error) {
    abandon(searching);
    throw error;
  }
  searching.held?.release();
}

function discard(search: number): void {
  const searching = searches.get(search);
  searches.delete(search);
  if (searching) abandon(searching);
}

function abandon({ index, held }: Searching): void {
  index.abandon();
  held?.discard();
}

parentPort?.on("message", ({ id, order }: { readonly id: number; readonly order: SearchOrder }) => {
  let reply: SearchReply;
  try {
    reply = obey(order);
  } catch (error) {
    // The engine itself is broken, and does nothing more: another thread has another one.
    if (error instanceof Error && error.name === "RuntimeError") throw error;
    reply = { fault: messageOf(error) };
    try {
      discard(order.search);
    } catch {
      // It stays under the name of this process, and goes with the next one that is taken.
    }
  }
  parentPort?.postMessage({ id, reply });
});
