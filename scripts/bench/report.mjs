// `legion report` of 500 agents and 1,000,000 events: the first time, which makes the digests, and the second time, beside reading all
// of their logs; and what the process holds in memory meanwhile, its threads included.

import { cpSync } from "node:fs";
import { join } from "node:path";
import { figure, load, median, report, round, temporaryFolder } from "./bench.mjs";
import { writeWorkedLog } from "./worked-log.mjs";

const [AGENTS = 500, EVENTS = 2_000] = process.argv.slice(2).map(Number).filter(Number.isFinite);
const TURNS = 3;
const DAY_MS = 86_400_000;

const { createFileReader } = await load("src/storage/files/reader/reader.js");
const { storedStatuses } = await load("src/legion/status.js");
const { makeReport } = await load("src/legion/report/make.js");

// The person of this measure: what nobody signed is somebody else's, and nothing of that is kept.
process.env["XDG_CONFIG_HOME"] = temporaryFolder();
const project = temporaryFolder();
const root = join(project, ".ai-legion");
const first = join(root, "agents/1");
await writeWorkedLog(root, "1", EVENTS);
for (let id = 2; id <= AGENTS; id++) cpSync(first, join(root, "agents", String(id)), { recursive: true });

/** @param {() => Promise<void>} work @returns {Promise<{ ms: number, peakMb: number }>} */
async function measured(work) {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
  const started = performance.now();
  await work();
  clearInterval(watch);
  return { ms: performance.now() - started, peakMb: (peak - before) / 1_048_576 };
}

async function readAll() {
  const reader = createFileReader(project);
  for (const id of await reader.known()) for await (const event of reader.events(id)) if (!event) return;
}

async function tell() {
  const reader = createFileReader(project);
  const statuses = [...(await storedStatuses(await reader.known(), reader)).values()];
  // What was written is of another year: all of it is told.
  const told = await makeReport({ reader, statuses, expireMs: DAY_MS }, { nowMs: Date.now(), most: 20 });
  if (told.agents !== AGENTS) throw new Error("agents are missing");
}

await readAll();
const reading = await measured(readAll);
const anew = await measured(tell);
const again = [];
for (let turn = 0; turn < TURNS; turn++) again.push(await measured(tell));
const secondMs = median(again.map(({ ms }) => ms));
const beside = `reading them ${round(reading.ms / 1_000)} s`;
const events = AGENTS * EVENTS;

report([
  figure(
    "report",
    `report of ${AGENTS} agents, ${events} events, the first time`,
    `${round(anew.ms / 1_000)} s`,
    {
      beside: `${beside}: ${round(anew.ms / reading.ms, 2)} times`,
      goal: "<= 1.5 times",
      met: anew.ms / reading.ms <= 1.5,
    },
  ),
  figure("report", "the same report, the second time", `${round(secondMs / 1_000, 2)} s`, {
    beside: `${beside}: 1/${round(reading.ms / secondMs)}`,
    goal: "<= 1/20",
    met: secondMs / reading.ms <= 1 / 20,
  }),
  figure(
    "report",
    "held in memory at most",
    `${round(Math.max(anew.peakMb, ...again.map(({ peakMb }) => peakMb)), 0)} MB`,
    {
      beside: `reading them ${round(reading.peakMb, 0)} MB`,
    },
  ),
]);
