// The one thread of a process in which memories are searched.

import { Worker } from "node:worker_threads";
import { messageOf } from "../../base/errors.ts";
import { inTurnsEach } from "../../base/turns.ts";
import type { SearchOrder, SearchReply } from "./order.ts";

/** It starts with the first order, ends when the last search has left, and keeps the process alive only while it is at one. */
export interface SearchThread {
  /** The number of a new search. */
  enter(): number;
  leave(search: number): Promise<void>;
  /** In the order of the calls. Never rejects: if the thread ends, that is the fault, and the next order starts it anew. */
  send(order: SearchOrder): Promise<SearchReply>;
  /** Of those with the same folder, one after the other. */
  inTurn<T>(folder: string, run: () => Promise<T>): Promise<T>;
}

interface RunningThread {
  readonly worker: Worker;
  /** By the number of the order. */
  readonly waiting: Map<number, (reply: SearchReply) => void>;
}

/** What it is sent is soon forgotten. */
const YOUNG_HEAP_MB = 16;

export function createSearchThread(start: () => Worker = startCompiled): SearchThread {
  const searches = new Set<number>();
  let entered = 0;
  let sent = 0;
  let running: RunningThread | undefined;
  const run = (): RunningThread => {
    const worker = start();
    const started: RunningThread = { worker, waiting: new Map() };
    const end = (fault: string): void => {
      if (running === started) running = undefined;
      for (const answer of started.waiting.values()) answer({ fault });
      started.waiting.clear();
    };
    worker.on("message", ({ id, reply }: { readonly id: number; readonly reply: SearchReply }) => {
      started.waiting.get(id)?.(reply);
      started.waiting.delete(id);
      if (started.waiting.size === 0) worker.unref();
    });
    worker.on("error", (error) => end(messageOf(error)));
    worker.on("exit", () => end("its thread has ended"));
    return started;
  };
  const send = async (order: SearchOrder): Promise<SearchReply> => {
    const { worker, waiting } = (running ??= run());
    const id = ++sent;
    worker.ref();
    const answered = new Promise<SearchReply>((answer) => waiting.set(id, answer));
    worker.postMessage({ id, order }, handedOver(order));
    return answered;
  };
  return {
    enter() {
      searches.add(++entered);
      return entered;
    },
    async leave(search) {
      if (searches.delete(search) && running) await send({ does: "close", search });
      if (searches.size > 0) return;
      const { worker } = running ?? {};
      running = undefined;
      await worker?.terminate();
    },
    send,
    inTurn: inTurnsEach(),
  };
}

/** Nobody here reads it again: it need not be copied. */
function handedOver(order: SearchOrder): ArrayBuffer[] {
  return order.does === "add" ? [order.portion.texts.buffer as ArrayBuffer] : [];
}

/** The compiled one: there is none beside the sources. */
function startCompiled(): Worker {
  return new Worker(new URL("./engine/search-worker.js", import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
  });
}
