// What agents cost that have nothing to do, or wait for a person's answer: processor, memory, timers, open files, reads.

import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { figure, instantModel, noop, plan, report, round, startBench, timed, trivialCall } from "./bench.mjs";

const WATCH_MS = 20_000;
/** By then V8 has collected, in up to three goes, what the work before left behind: no agent is awake for that. */
const SETTLED_MS = 45_000;

const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
/** System calls of this process that read, from anything. */
const reads = () => Number(/syscr: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
/** Reading that number takes two; and a node touches its lock every five seconds, whoever it runs: a worker's word, each. */
const OTHER_READS = 2 + WATCH_MS / 5_000;

/** Agents that each ask a question which nobody answers. @param {number} count */
async function measureWaiting(count) {
  let asked = 0;
  const model = instantModel(() => trivialCall(asked++));
  const policy = [{ by: "the bench", as: "person", ask: ["action touch"] }];
  const ids = Array.from({ length: count }, (_, index) => String(index + 1));
  const legion = await startBench({ plans: await Promise.all(ids.map((id) => plan({ id, model, policy }))) });
  for (const id of ids) await legion.control.say([id], "go");
  while (legion.questions().length < count) await delay(50);
  await delay(SETTLED_MS);
  const before = { timers: timers(), reads: reads() };
  const { cpuMs, wallMs } = await timed(() => delay(WATCH_MS));
  const found = { cpu: (cpuMs / wallMs) * 100, ...before, reads: reads() - before.reads - OTHER_READS };
  await legion.stop();
  return found;
}

/** @param {number} count @param {number} before resident bytes without agents */
async function measure(count, before) {
  const model = instantModel(() => noop());
  const ids = Array.from({ length: count }, (_, index) => String(index + 1));
  const started = performance.now();
  const legion = await startBench({ plans: await Promise.all(ids.map((id) => plan({ id, model }))) });
  const startMs = performance.now() - started;
  for (const id of ids) await legion.control.say([id], "go");
  await legion.untilIdle(new AbortController().signal);
  globalThis.gc?.();
  await delay(SETTLED_MS);
  const { cpuMs, wallMs } = await timed(() => delay(WATCH_MS));
  const awake = timers();
  const files = readdirSync("/proc/self/fd").length;
  globalThis.gc?.();
  const rss = process.memoryUsage().rss;
  await legion.stop();
  return {
    cpu: (cpuMs / wallMs) * 100,
    timers: awake,
    files,
    rss,
    each: (rss - before) / count / 1_024,
    startMs,
  };
}

const waiting = await measureWaiting(1_000);
const before = process.memoryUsage().rss;
const few = await measure(500, before);
const many = await measure(10_000, before);
const megabytes = many.rss / 1_048_576;
report([
  figure("10", "idle, 500 agents", `${round(few.cpu, 2)} % of a core`, {
    goal: "<= 0.3 %",
    met: few.cpu <= 0.3,
  }),
  figure("10", "idle, 10,000 agents", `${round(many.cpu, 2)} % of a core`, {
    goal: "<= 1 %",
    met: many.cpu <= 1,
  }),
  figure("10", "idle, 10,000 agents: timers, open files", `${many.timers}, ${many.files}`, {
    goal: "1 timer, no file each",
    met: many.timers <= 1 && many.files < 300,
  }),
  figure("10", "1,000 agents at an open question: timers, reads", `${waiting.timers}, ${waiting.reads}`, {
    beside: `${round(waiting.cpu, 2)} % of a core, in ${WATCH_MS / 1_000} s`,
    goal: "1 timer, no reads",
    met: waiting.timers <= 1 && waiting.reads <= 0,
  }),
  figure("11", "10,000 agents, each asked once", `${round(megabytes, 0)} MB, ${round(many.each)} KB each`, {
    beside: `before ${round(before / 1_048_576, 0)} MB`,
    goal: "<= 400 MB",
    met: megabytes <= 400,
  }),
  figure("13", "start of 10,000 agents", `${round(many.startMs / 1_000)} s`),
]);
