// What it costs a legion of 500 agents, each at work all the time, that somebody watches it on a page, beside the same without; and what a
// viewer is sent at ten times the events. Viewers are processes of their own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  byTurns,
  figure,
  instantModel,
  load,
  median,
  noop,
  plan,
  report,
  round,
  startBench,
  temporaryFolder,
  trivialCall,
} from "./bench.mjs";

const AGENTS = 500;
const TURNS = 7;
const TURN_MS = 3_000;
const VIEWERS = 16;
/** Of these, each is at work all the time. */
const TALKING = 20;
const RATES = [100, 1_000];
const RATE_MS = 8_000;

const [, , url, how] = process.argv;
if (url !== undefined) await view(url, how ?? "reads");

/** Reads the overview and says how many bytes that were, line by line; or reads nothing at all. @param {string} address @param {string} way */
async function view(address, way) {
  const { origin, hash } = new URL(address);
  const headers = { authorization: `Bearer ${hash.replace("#token=", "")}` };
  const { body } = await fetch(`${origin}/v1/overview`, { headers });
  if (way === "stops dead") await new Promise(() => undefined);
  let bytes = 0;
  process.stdin.on("data", () => process.stdout.write(`${bytes}\n`));
  for await (const chunk of body ?? []) bytes += chunk.length;
  process.exit(0);
}

/** @param {string} address @param {string} [way] */
async function startViewer(address, way = "reads") {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), address, way], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const bytes = async () => {
    child.stdin.write("?");
    const [text] = await once(child.stdout, "data");
    return Number(text);
  };
  if (way === "reads") while ((await bytes()) === 0) await delay(20);
  return { bytes, end: () => child.kill() };
}

/** A legion whose page is served, as `legion start --dashboard` does it. @param {unknown[]} plans */
async function watchedLegion(plans) {
  const { createFileBackend } = await load("src/storage/files/backend.js");
  const { createService } = await load("src/control/service.js");
  const { serveOverSocket } = await load("src/control/socket/server.js");
  const { watchLegion } = await load("src/control/reading/watched.js");
  const { serveDashboard } = await load("src/control/web/server.js");
  const { legionPaths } = await load("src/storage/folder/paths.js");
  const project = temporaryFolder();
  const legion = await startBench({ project, plans });
  const service = createService({ legion, onStop: () => undefined });
  await serveOverSocket({ service, inspector: legion.inspector }, legionPaths(project).socket);
  const watched = watchLegion(
    { project, backend: createFileBackend(project), config: { durability: "process" } },
    1_000,
  );
  const page = await serveDashboard(watched, { port: 0, hosts: [], access: "all" });
  return { legion, url: page.url };
}

let steps = 0;
let isOver = false;
const busy = () => instantModel((index) => (steps++, isOver ? noop() : trivialCall(index)));
const ids = Array.from({ length: AGENTS }, (_, index) => String(index + 1));
const plans = await Promise.all(ids.map((id) => plan({ id, model: busy() })));
const { legion, url: address } = await watchedLegion(plans);
await legion.control.say(ids, "go");

async function stepsInATurn() {
  const before = steps;
  const began = performance.now();
  await delay(TURN_MS);
  // Microseconds a step: `byTurns` compares what takes long.
  return ((performance.now() - began) * 1_000) / (steps - before);
}

const watchedTurn = async () => {
  const viewer = await startViewer(address);
  const time = await stepsInATurn();
  viewer.end();
  return time;
};
const { one, other, ratio } = await byTurns(stepsInATurn, watchedTurn, TURNS);

const rss = () => process.memoryUsage().rss / 1_048_576;
const before = median([rss(), (await delay(500), rss()), (await delay(500), rss())]);
const viewers = [await startViewer(address, "stops dead")];
for (let index = 1; index < VIEWERS; index++) viewers.push(await startViewer(address));
let most = 0;
for (let turn = 0; turn < 20; turn++) {
  await delay(500);
  most = Math.max(most, rss());
}
for (const viewer of viewers) viewer.end();
isOver = true;
await legion.untilIdle(new AbortController().signal);

/** Five events come of each message. */
const quiet = await Promise.all(
  ids.slice(0, TALKING).map((id) => plan({ id, model: instantModel(() => noop()) })),
);
const talk = await watchedLegion(quiet);
const viewer = await startViewer(talk.url);
/** @type {number[]} */
const sent = [];
for (const rate of RATES) {
  const start = await viewer.bytes();
  const began = performance.now();
  for (let next = 0; performance.now() - began < RATE_MS; next++) {
    void talk.legion.control.say([ids[next % TALKING]], `Message ${next}`);
    await delay(Math.max(0, (next * 5_000) / rate - (performance.now() - began)));
  }
  sent.push(((await viewer.bytes()) - start) / (RATE_MS / 1_000));
}
viewer.end();
const [slow = 0, fast = 0] = sent;
report([
  figure("18", `${AGENTS} agents at work, steps a second, with one viewer`, round(1e6 / other, 0), {
    beside: `without ${round(1e6 / one, 0)}: ${round(1 / ratio, 3)}`,
    goal: ">= 0.95",
    met: 1 / ratio >= 0.95,
  }),
  figure("18", `node with ${VIEWERS} viewers, one of them stopped dead`, `+${round(most - before, 0)} MB`, {
    beside: `before ${round(before, 0)} MB`,
    goal: "<= +32 MB",
    met: most - before <= 32,
  }),
  figure("18", `to a viewer of ${TALKING} agents at ${RATES[1]} events/s`, `${round(fast / 1_024)} KB/s`, {
    beside: `at ${RATES[0]} events/s ${round(slow / 1_024)} KB/s: ${round(fast / slow, 2)}`,
    goal: "<= 1.3",
    met: fast <= slow * 1.3,
  }),
]);
