// What it costs a legion of 500 agents, each at work all the time, that somebody watches it on a page, beside the same without; and what a
// viewer is sent at ten times the events. Viewers are processes of their own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { byTurns, figure, instantModel, noop, plan, report, round, trivialCall } from "./bench.mjs";
import { talkTo, watchedLegion } from "./watched-legion.mjs";

const AGENTS = 500;
const TURNS = 7;
const TURN_MS = 3_000;
const VIEWERS = 16;
/** Of these, each is at work all the time. */
const TALKING = 5;
const RATES = [100, 1_000];
const RATE_MS = 8_000;
const WARM_TURNS = 5;

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

/** Five events come of each message. @param {any} legion @param {number} rate */
const talk = ({ control, agents }, rate) =>
  talkTo(control, [...agents.keys()], { messages: rate / 5, forMs: RATE_MS });

const ids = Array.from({ length: AGENTS }, (_, index) => String(index + 1));
/** @param {readonly string[]} who @param {() => unknown} model */
const planned = (who, model) => Promise.all(who.map((id) => plan({ id, model: model() })));
const resting = () => instantModel(() => noop());

const few = await watchedLegion(await planned(ids.slice(0, TALKING), resting));
const viewer = await startViewer(few.url);
/** @type {number[]} */
const sent = [];
for (const rate of RATES) {
  const start = await viewer.bytes();
  await talk(few.legion, rate);
  sent.push(((await viewer.bytes()) - start) / (RATE_MS / 1_000));
}
viewer.end();
await few.legion.stop();

/** The most that is resident while 500 agents are spoken to. @param {any} legion */
async function mostResident(legion) {
  let most = 0;
  const look = setInterval(() => (most = Math.max(most, process.memoryUsage().rss / 1_048_576)), 100);
  await talk(legion, RATES[1] ?? 0);
  clearInterval(look);
  return most;
}
const many = await watchedLegion(await planned(ids, resting));
// The heap of a process grows for a while, watched or not: what is compared begins once it has.
for (let turn = 0; turn < WARM_TURNS; turn++) await talk(many.legion, RATES[1] ?? 0);
const before = await mostResident(many.legion);
const viewers = [await startViewer(many.url, "stops dead")];
for (let index = 1; index < VIEWERS; index++) viewers.push(await startViewer(many.url));
const most = await mostResident(many.legion);
for (const one of viewers) one.end();
await many.legion.stop();

let steps = 0;
let isOver = false;
const busy = () => instantModel((index) => (steps++, isOver ? noop() : trivialCall(index)));
const { legion, url: address } = await watchedLegion(await planned(ids, busy));
await legion.control.say(ids, "go");

async function stepTime() {
  const before = steps;
  const began = performance.now();
  await delay(TURN_MS);
  return ((performance.now() - began) * 1_000) / (steps - before);
}

async function watchedStepTime() {
  const one = await startViewer(address);
  const time = await stepTime();
  one.end();
  return time;
}
const { one, other, ratio } = await byTurns(stepTime, watchedStepTime, TURNS);
isOver = true;
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
