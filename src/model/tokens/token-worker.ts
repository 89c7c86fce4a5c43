import { parentPort } from "node:worker_threads";
import o200k from "js-tiktoken/ranks/o200k_base";
import { createByteCounter } from "./byte-pairs.ts";

const count = createByteCounter(o200k);

parentPort?.on("message", ({ id, texts }: { id: number; texts: readonly string[] }) => {
  parentPort?.postMessage({ id, counts: texts.map(count) });
});
