// What the page of a legion of 500 agents at 1,000 events a second asks of a browser: frames, long tasks, heap, bytes. Legion and browser
// are processes of their own and share the machine with this one. `--minutes 1`: shorter than the ten of the goals.

import { fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism, cpus, loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import puppeteer from "puppeteer";
import { findChromium } from "../chromium.mjs";
import { figure, quantile, report, round } from "./bench.mjs";

const EVENTS = 1_000;
const HEAP_MS = 5_000;
const GC_MS = 100;
/** Of the time in an area: when what it keeps has come to its size. */
const SETTLED = 0.25;
/** What it compiles of the page, a browser keeps, for some minutes more and more; what leaks with the events is beyond that by far. */
const MOST_MB_A_MINUTE = 0.25;
const JUDGED_S = 30;

const { values } = parseArgs({ options: { minutes: { type: "string", default: "10" } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error("--minutes takes a number");

const script = fileURLToPath(new URL("page-legion.mjs", import.meta.url));
const child = fork(script, { stdio: ["ignore", 2, 2, "ipc"] });
/** @type {import("./page-legion.mjs").Told} */
let told = (await once(child, "message"))[0];
child.on("message", (/** @type {any} */ message) => (told = message));

const isRoot = process.getuid?.() === 0;
const browser = await puppeteer.launch({
  executablePath: findChromium() ?? "no Chromium",
  args: ["--disable-gpu", ...(isRoot ? ["--no-sandbox"] : [])],
  defaultViewport: { width: 1_280, height: 800 },
});
process.once("exit", () => browser.process()?.kill("SIGKILL"));
const page = await browser.newPage();
const devtools = await page.createCDPSession();

/** Runs in the page, before anything of it: tells how long each frame and long task took since it was asked before. */
const WATCH = `
  let frames = [], tasks = [], last = performance.now();
  const onFrame = (at) => {
    frames.push(at - last);
    last = at;
    requestAnimationFrame(onFrame);
  };
  requestAnimationFrame(onFrame);
  const note = (list) => list.getEntries().forEach(({ duration }) => tasks.push(duration));
  new PerformanceObserver(note).observe({ type: "longtask", buffered: true });
  globalThis.look = () => ({ frames: frames.splice(0), tasks: tasks.splice(0) });`;
await page.evaluateOnNewDocument(WATCH);

const look = async () => /** @type {{ frames: number[], tasks: number[] }} */ (await page.evaluate("look()"));

/** What the page keeps, in MB. To find that out is no work of the page. */
async function heap() {
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await delay(GC_MS);
  await look();
  return usedSize / 1_048_576;
}

const idleMs = () => cpus().reduce((sum, { times }) => sum + times.idle, 0);

/** @param {string} what @param {number} share of the whole time @param {() => Promise<unknown>} enter */
async function measure(what, share, enter) {
  const before = { ...told, idle: idleMs(), at: performance.now() };
  /** @type {number[]} */
  const frames = [];
  /** @type {number[]} */
  const tasks = [];
  /** @type {Held[]} */
  const heaps = [];
  const spent = () => performance.now() - before.at;
  await enter();
  while (spent() < minutes * share * 60_000) {
    await delay(HEAP_MS);
    const seen = await look();
    frames.push(...seen.frames);
    tasks.push(...seen.tasks);
    heaps.push({ minute: spent() / 60_000, mb: await heap() });
  }
  const each = 1_000 / spent();
  const busy = 1 - (idleMs() - before.idle) / spent() / availableParallelism();
  return {
    ...{ what, frames, tasks, heaps, seconds: 1 / each, busy },
    events: (told.events - before.events) * each,
    bytes: (told.bytes - before.bytes) * each,
    node: (told.cpuMs - before.cpuMs) / spent() / availableParallelism(),
  };
}

/** @typedef {{ minute: number, mb: number }} Held */

/** In MB a minute, by least squares. @param {readonly Held[]} heaps */
function slope(heaps) {
  const mean = (/** @type {(one: Held) => number} */ of) =>
    heaps.reduce((sum, one) => sum + of(one), 0) / heaps.length;
  const middle = { minute: mean(({ minute }) => minute), mb: mean(({ mb }) => mb) };
  const along = mean(({ minute, mb }) => (minute - middle.minute) * (mb - middle.mb));
  return along / mean(({ minute }) => (minute - middle.minute) ** 2);
}

/** @param {Awaited<ReturnType<typeof measure>>} measured */
function figuresOf({ what, frames, tasks, heaps, seconds, busy, events, bytes, node }) {
  const p95 = quantile(frames, 0.95);
  const longest = Math.max(0, ...tasks);
  const settled = heaps.filter(({ minute }) => minute * 60 >= seconds * SETTLED);
  const [first = 0, end = 0] = [settled[0]?.mb, settled.at(-1)?.mb];
  const isLong = seconds * (1 - SETTLED) > JUDGED_S;
  const growth = isLong ? slope(settled) : undefined;
  const percent = (/** @type {number} */ share) => `${round(share * 100, 0)} %`;
  return [
    figure("18", `${what}: frames, p95`, `${round(p95)} ms`, {
      beside: `p50 ${round(quantile(frames, 0.5))}, longest ${round(Math.max(...frames))} ms, ${round(frames.length / seconds, 0)}/s`,
      goal: "<= 33 ms",
      met: p95 <= 33,
    }),
    figure("18", `${what}: longest task`, `${round(longest, 0)} ms`, {
      beside: `${tasks.length} of more than 50 ms in ${round(seconds, 0)} s`,
      goal: "<= 200 ms",
      met: longest <= 200,
    }),
    figure("18", `${what}: heap, settled and at the end`, `${round(first, 2)}, ${round(end, 2)} MB`, {
      beside: growth === undefined ? "" : `${round(growth, 2)} MB a minute`,
      goal: `<= ${MOST_MB_A_MINUTE} a minute`,
      met: growth === undefined ? undefined : growth <= MOST_MB_A_MINUTE,
    }),
    figure("18", `${what}: events written`, `${round(events, 0)}/s`, {
      beside: `streams ${round(bytes / 1_024)} KB/s; processors ${percent(busy)} busy, the node ${percent(node)}`,
      goal: `>= ${EVENTS * 0.9}/s`,
      met: events >= EVENTS * 0.9,
    }),
  ];
}

const goTo = (/** @type {string} */ hash) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
const bySteps = async () => {
  await goTo("#/legion");
  await page.locator("[title='Sort by Steps']").click();
};
const measured = [
  await measure("overview", 0.4, () => page.goto(told.url)),
  await measure("an agent's page", 0.3, () => goTo(`#/agents/${told.shown}`)),
  await measure("conversation", 0.1, () => goTo("#/conversation")),
  await measure("cost", 0.1, () => goTo("#/cost")),
  await measure("overview by steps", 0.1, bySteps),
];
const load = loadavg().map((one) => round(one));
report([
  ...measured.flatMap(figuresOf),
  figure("18", "load at the end, of 1, 5 and 15 minutes", load.join(", ")),
]);
