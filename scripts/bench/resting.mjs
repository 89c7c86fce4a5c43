// What agents cost that a legion knows and does not use: the start of ten thousand, and the memory that they take, beside that of
// the twenty that are used.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import {
  figure,
  instantModel,
  median,
  noop,
  plan,
  report,
  round,
  startBench,
  temporaryFolder,
} from "./bench.mjs";

const USED = 20;
const MB = 1_048_576;

/** @param {number} count */
async function plansFor(count) {
  const model = instantModel(() => noop());
  const first = await plan({ id: "1", model });
  // As a start has them: many agents of one definition share all but their names.
  return Array.from({ length: count }, (_, index) => {
    const id = String(index + 1);
    return { ...first, identity: { id, name: `Agent ${id}`, description: "", brief: "" } };
  });
}

/** @param {string} project @param {number} count @param {number} used how many are asked something */
async function run(project, count, used) {
  const plans = await plansFor(count);
  globalThis.gc?.();
  const started = performance.now();
  const legion = await startBench({ project, plans, durability: "disk", closesIdle: true });
  const startMs = performance.now() - started;
  const ids = Array.from({ length: used }, (_, index) => String(1 + Math.floor((index * count) / used)));
  const asked = performance.now();
  for (const id of ids) await legion.control.say([id], "go");
  await legion.untilIdle(new AbortController().signal);
  const usedMs = performance.now() - asked;
  while (used > 1_000 && [...legion.agents.values()].filter(({ agent }) => agent).length > 64)
    await new Promise((resolve) => setTimeout(resolve, 500));
  for (let n = 0; n < 3; n++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { rss, heapUsed } = process.memoryUsage();
  const stopping = performance.now();
  await legion.stop();
  return { startMs, usedMs, rss, heapUsed, stopMs: performance.now() - stopping };
}

const [project = "", count, used] = process.argv.slice(2);
if (project) {
  console.log(JSON.stringify(await run(project, Number(count), Number(used))));
  process.exit(0);
}

/** @param {string} project @param {number} count @param {number} used */
function inProcess(project, count, used) {
  const script = fileURLToPath(import.meta.url);
  const args = ["--expose-gc", script, project, String(count), String(used)];
  const { status, stdout } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`${count} agents, ${used} used: failed`);
  return JSON.parse(stdout);
}

const places = {
  few: temporaryFolder(),
  ten: temporaryFolder(),
  hundred: temporaryFolder(),
  all: temporaryFolder(),
};
inProcess(places.few, USED, USED);
inProcess(places.ten, 10_000, USED);
inProcess(places.hundred, 100_000, USED);
const runs = [1, 2, 3].map(() => ({
  empty: inProcess(temporaryFolder(), 1, 0),
  few: inProcess(places.few, USED, USED),
  ten: inProcess(places.ten, 10_000, USED),
}));
const hundred = inProcess(places.hundred, 100_000, USED);
const all = inProcess(places.all, 10_000, 10_000);
/** @param {(run: typeof runs[0]) => number} of */
const middle = (of) => median(runs.map(of));
const above = middle(({ ten, empty }) => ten.rss - empty.rss) / MB;
const aboveHundred = (hundred.rss - middle(({ empty }) => empty.rss)) / MB;
const ratio = middle(({ ten, few }) => ten.startMs / few.startMs);
const each = (all.heapUsed - middle(({ empty }) => empty.heapUsed)) / 10_000 / 1_024;
report([
  figure("19", "10,000 agents known, 20 used: memory above an empty node", `${round(above, 0)} MB`, {
    goal: "<= 60 MB",
    met: above <= 60,
  }),
  figure("19", "100,000 agents known, 20 used: memory above an empty node", `${round(aboveHundred, 0)} MB`, {
    beside: `start ${round(hundred.startMs, 0)} ms, stop ${round(hundred.stopMs, 0)} ms`,
    goal: "<= 200 MB",
    met: aboveHundred <= 200,
  }),
  figure(
    "19",
    "start of 10,000 known agents",
    `${round(
      middle(({ ten }) => ten.startMs),
      0,
    )} ms`,
    {
      beside: `of 20 ${round(
        middle(({ few }) => few.startMs),
        0,
      )} ms: ${round(ratio, 2)} times`,
      goal: "<= 2 times",
      met: ratio <= 2,
    },
  ),
  figure("19", "10,000 agents, each used once and at rest: held of each", `${round(each)} KB`, {
    goal: "<= 8 KB",
    met: each <= 8,
  }),
]);
