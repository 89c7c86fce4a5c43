// A self-driving step: view, prompt, model, parse, log, action, log; the model answers at once.

import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import {
  figure,
  instantModel,
  median,
  plan,
  report,
  round,
  startBench,
  temporaryFolder,
  trivialCall,
  noop,
} from "./bench.mjs";

/**
 * Runs `steps` steps and gives the microseconds of each.
 * @param {number} steps @param {"disk" | "process"} durability @param {"touch" | "strike"} [action]
 */
async function run(steps, durability, action) {
  /** @type {number[]} */
  const times = [];
  let last = 0;
  const model = instantModel((index) => {
    const now = performance.now();
    if (index > 0) times.push((now - last) * 1_000);
    last = now;
    return index < steps ? trivialCall(index, action) : noop();
  });
  const legion = await startBench({ plans: [await plan({ id: "1", model })], durability });
  await legion.control.say(["1"], "go");
  await legion.untilIdle(new AbortController().signal);
  await legion.stop();
  return times;
}

/**
 * What the same bytes cost written by hand: two lines a step, of which so many are flushed before going on.
 * @param {0 | 1 | 2} flushes
 */
function floor(flushes) {
  const fd = openSync(join(temporaryFolder(), "floor"), "a");
  const event = { seq: 1, epoch: 1, at: new Date().toISOString(), kind: "result", content: "x".repeat(100) };
  const steps = flushes > 0 ? 300 : 5_000;
  /** @type {number[]} */
  const times = [];
  for (let step = 0; step < steps; step++) {
    const started = performance.now();
    for (let line = 0; line < 2; line++) {
      writeSync(fd, `${JSON.stringify(event)}\n`);
      if (line < flushes) fdatasyncSync(fd);
    }
    times.push((performance.now() - started) * 1_000);
  }
  closeSync(fd);
  return median(times);
}

/** By turns, so that all of them see the same machine. */
async function settledSteps() {
  /** @type {Record<"written" | "none" | "once" | "oneFlush" | "twoFlushes", number[]>} */
  const times = { written: [], none: [], once: [], oneFlush: [], twoFlushes: [] };
  for (let turn = 0; turn < 5; turn++) {
    times.written.push(median((await run(1_000, "process")).slice(500)));
    times.none.push(median((await run(1_000, "disk")).slice(500)));
    times.oneFlush.push(floor(1));
    times.once.push(median((await run(1_000, "disk", "strike")).slice(500)));
    times.twoFlushes.push(floor(2));
  }
  const { written, none, once, oneFlush, twoFlushes } = times;
  return {
    written: median(written),
    none: median(none),
    once: median(once),
    oneFlush: median(oneFlush),
    twoFlushes: median(twoFlushes),
    noneRatio: median(none.map((us, turn) => us / (written[turn] ?? 0))),
    onceRatio: median(once.map((us, turn) => us / ((written[turn] ?? 0) + (oneFlush[turn] ?? 0)))),
  };
}

await run(500, "process");
const events = 50_000;
const steps = await run(events, "process");
const early = median(steps.slice(20, 220));
const first = median(steps.slice(200, 1_200));
const late = median(steps.slice(-1_000));
const growth = late / first;
const written = median(steps.slice(0, 5_000));
const settled = await settledSteps();
report([
  figure("3", "self-driving step, written", `${round(written)} us`, {
    beside: `2 lines by hand ${round(floor(0))} us`,
    goal: "<= 250 us",
    met: written <= 250,
  }),
  figure("3", "self-driving step on the disk, effects `none`", `${round(settled.none)} us`, {
    beside: `written ${round(settled.written)} us: ${round(settled.noneRatio, 2)} times`,
    goal: "<= 1.3 times",
    met: settled.noneRatio <= 1.3,
  }),
  figure("3", "self-driving step on the disk, effects `once`", `${round(settled.once)} us`, {
    beside:
      `1 flush by hand ${round(settled.oneFlush)} us + written ${round(settled.written)} us: ` +
      `${round(settled.onceRatio, 2)} times; 2 flushes by hand ${round(settled.twoFlushes)} us`,
    goal: "<= 1.3 times",
    met: settled.onceRatio <= 1.3,
  }),
  figure("4", `step at event ${2 * events} against event ~100`, `${round(late)} / ${round(early)} us`, {
    beside: `against events 400 to 2400: ${round(growth, 2)}`,
    goal: "<= 1.3",
    met: late / early <= 1.3,
  }),
]);
