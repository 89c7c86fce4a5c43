// How long a text is, in tokens. The estimate is free and right within about a tenth for prose, code and CJK alike; the
// exact count costs a tokeniser, so it is taken only near a limit, in a thread of its own, once per text.

import { Worker } from "node:worker_threads";

/** UTF-8 bytes / 4, at least 1 for any text that is not empty. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

export interface TokenCounter {
  /** Exact counts (o200k_base), in the order of `texts`. */
  count(texts: readonly string[]): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Starts its thread at the first count and keeps no process alive. */
export function createTokenCounter(): TokenCounter {
  let worker: Worker | undefined;
  let asked = 0;
  const waiting = new Map<number, (counts: readonly number[]) => void>();
  const start = (): Worker => {
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const started = new Worker(new URL(`./token-worker.${extension}`, import.meta.url));
    started.unref();
    started.on("message", ({ id, counts }: { id: number; counts: readonly number[] }) => {
      waiting.get(id)?.(counts);
      waiting.delete(id);
      if (waiting.size === 0) started.unref();
    });
    return started;
  };
  return {
    count(texts) {
      worker ??= start();
      worker.ref();
      const id = ++asked;
      worker.postMessage({ id, texts });
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    async close() {
      await worker?.terminate();
    },
  };
}
