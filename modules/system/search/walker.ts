import { Worker } from "node:worker_threads";
import { printableLine } from "../text.ts";
import type { Engine, Search } from "./search.ts";
import type { Told } from "./walk-worker.ts";

/** Starts the thread that walks, with `search` as its `workerData`. */
export type StartWalker = (search: Search) => Worker;

const MAX_HEAP_MB = 512;

/** The compiled one: there is none beside the sources. */
export const startCompiled: StartWalker = (search) =>
  new Worker(new URL("./walk-worker.js", import.meta.url), {
    workerData: search,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });

/** The search on our own, where ripgrep is not there. */
export function walker(start: StartWalker): Engine {
  return async (search, { signal, wants, tell }) => {
    if (signal.aborted) return undefined;
    const worker = start(search);
    worker.on("message", (told: Told) => told.forEach(([path, places]) => wants(path) && tell(path, places)));
    let problem: string | undefined;
    worker.on("error", ({ message }) => (problem = `The search failed: ${printableLine(message)}`));
    const end = (): void => void worker.terminate();
    signal.addEventListener("abort", end, { once: true });
    await new Promise((resolve) => worker.once("exit", resolve));
    signal.removeEventListener("abort", end);
    return problem;
  };
}
