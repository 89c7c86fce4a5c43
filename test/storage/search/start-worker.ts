import { Worker } from "node:worker_threads";

/** The thread that searches, from its source: for `createSearchThread`. */
export function startSearchWorker(): Worker {
  return new Worker(new URL("./search-worker.mjs", import.meta.url));
}
