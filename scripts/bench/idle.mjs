// What agents cost that have nothing to do: processor, memory, timers, open files.

import { readdirSync } from "node:fs";
import { figure, instantModel, plan, report, round, startBench, timed, noop } from "./bench.mjs";

const WATCH_MS = 20_000;

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
  const { cpuMs, wallMs } = await timed(() => new Promise((resolve) => setTimeout(resolve, WATCH_MS)));
  const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const files = readdirSync("/proc/self/fd").length;
  globalThis.gc?.();
  const rss = process.memoryUsage().rss;
  await legion.stop();
  return { cpu: (cpuMs / wallMs) * 100, timers, files, rss, each: (rss - before) / count / 1_024, startMs };
}

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
  figure("11", "10,000 agents, each asked once", `${round(megabytes, 0)} MB, ${round(many.each)} KB each`, {
    beside: `before ${round(before / 1_048_576, 0)} MB`,
    goal: "<= 400 MB",
    met: megabytes <= 400,
  }),
  figure("13", "start of 10,000 agents", `${round(many.startMs / 1_000)} s`),
]);
