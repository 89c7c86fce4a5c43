// How long a text is, in tokens. The estimate is free and right within about a tenth for prose, code and CJK alike; the
// exact count costs a tokeniser, so it is taken only near a limit, in a thread of its own, once per text.

import { Worker } from "node:worker_threads";
import { elide } from "../../base/text/wording.ts";
import type { Usage } from "../../domain/event/event.ts";
import type { ModelRequest, Turn } from "../../domain/model.ts";

/** UTF-8 bytes / 4, at least 1 for any text that is not empty. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** `text`, or its beginning and end in about `maxTokens`. */
export function fitTokens(text: string, maxTokens: number): string {
  const tokens = estimateTokens(text);
  return tokens <= maxTokens ? text : elide(text, Math.floor((text.length * maxTokens) / tokens));
}

const counted = new WeakMap<Turn, number>();

/** What a request and the texts that answer it would have cost with a provider. */
export function estimateUsage(
  { system, tools, turns, pinned }: ModelRequest,
  output: readonly string[],
): Usage {
  let input = estimateTokens(system + pinned + (tools.length > 0 ? JSON.stringify(tools) : ""));
  for (const turn of turns) {
    let tokens = counted.get(turn);
    if (tokens === undefined) counted.set(turn, (tokens = estimateTokens(JSON.stringify(turn))));
    input += tokens;
  }
  return { input, output: estimateTokens(output.join("")) };
}

export interface TokenCounter {
  /** Exact counts (o200k_base), in the order of `texts`; estimates if the tokeniser fails. */
  count(texts: readonly string[]): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Its thread starts at the first count, and keeps the process alive only while it counts. */
export function createTokenCounter(start: () => Worker = startTokeniser): TokenCounter {
  /** Answers of the thread, by the number of the question. */
  const waiting = new Map<number, (counts: readonly number[] | undefined) => void>();
  let worker: Worker | undefined;
  let asked = 0;
  let ended = false;
  const end = (): void => {
    ended = true;
    for (const answer of waiting.values()) answer(undefined);
    waiting.clear();
  };
  const run = (): Worker => {
    const started = start();
    started.on("message", ({ id, counts }: { id: number; counts: readonly number[] }) => {
      waiting.get(id)?.(counts);
      waiting.delete(id);
      if (waiting.size === 0) started.unref();
    });
    started.on("error", end);
    started.on("exit", end);
    return started;
  };
  return {
    async count(texts) {
      if (!ended) {
        worker ??= run();
        worker.ref();
        const id = ++asked;
        worker.postMessage({ id, texts });
        const counts = await new Promise<readonly number[] | undefined>((answer) => waiting.set(id, answer));
        if (counts) return counts;
      }
      return texts.map(estimateTokens);
    },
    async close() {
      end();
      await worker?.terminate();
    },
  };
}

/** The compiled one: there is none beside the sources. */
function startTokeniser(): Worker {
  return new Worker(new URL("./token-worker.js", import.meta.url));
}
