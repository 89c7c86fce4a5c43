// How long a text is, in tokens. The estimate is free and right within about a tenth for prose, code and CJK alike; the
// exact count costs a tokeniser, so it is taken only near a limit, in a thread of its own, once per text.

import { Worker } from "node:worker_threads";
import { elide } from "./wording.ts";

/** UTF-8 bytes / 4, at least 1 for any text that is not empty. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** `text`, or its beginning and end in about `maxTokens`. */
export function fitTokens(text: string, maxTokens: number): string {
  const tokens = estimateTokens(text);
  return tokens <= maxTokens ? text : elide(text, Math.floor((text.length * maxTokens) / tokens));
}

export interface TokenCounter {
  /** Exact counts (o200k_base), in the order of `texts`. */
  count(texts: readonly string[]): Promise<readonly number[]>;
  close(): Promise<void>;
}

interface Count {
  readonly texts: readonly string[];
  readonly resolve: (counts: readonly number[]) => void;
}

/** Starts its thread at the first count and keeps no process alive. */
export function createTokenCounter(): TokenCounter {
  let worker: Worker | undefined;
  let asked = 0;
  const waiting = new Map<number, Count>();
  const settle = (id: number, counts: readonly number[]): void => {
    waiting.get(id)?.resolve(counts);
    waiting.delete(id);
    if (waiting.size === 0) worker?.unref();
  };
  const start = (): Worker => {
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const started = new Worker(new URL(`./token-worker.${extension}`, import.meta.url));
    started.unref();
    started.on("message", ({ id, counts }: { id: number; counts: readonly number[] }) => settle(id, counts));
    // Without its tokeniser the runtime goes on with estimates.
    started.on("error", () => {
      for (const [id, { texts }] of waiting) settle(id, texts.map(estimateTokens));
      worker = undefined;
    });
    return started;
  };
  return {
    count(texts) {
      worker ??= start();
      worker.ref();
      const id = ++asked;
      worker.postMessage({ id, texts });
      return new Promise((resolve) => waiting.set(id, { texts, resolve }));
    },
    async close() {
      await worker?.terminate();
    },
  };
}
