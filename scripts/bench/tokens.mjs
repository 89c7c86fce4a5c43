// The worst text for a tokeniser, and how long the main thread stands still while it is counted.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { figure, load, report, round } from "./bench.mjs";

const { createTokenCounter } = await load("src/model/tokens/tokens.js");
const counter = createTokenCounter();
await counter.count(["warm up"]);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const started = performance.now();
await counter.count(["a".repeat(20_000)]);
const wordMs = performance.now() - started;
const long = performance.now();
await counter.count(["字".repeat(10_000)]);
const cjkMs = performance.now() - long;
delay.disable();
const blockedMs = delay.max / 1e6;
report([
  figure("17", "count a word of 20,000 letters", `${round(wordMs)} ms`, {
    beside: "in a thread of its own",
    goal: "<= 20 ms",
    met: wordMs <= 20,
  }),
  figure("17", "count 10,000 CJK characters", `${round(cjkMs)} ms`),
  figure("17", "longest turn of the main thread meanwhile", `${round(blockedMs)} ms`, {
    goal: "<= 20 ms",
    met: blockedMs <= 20,
  }),
]);
