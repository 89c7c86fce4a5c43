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
 * @param {number} steps @param {"disk" | "process"} durability
 */
async function run(steps, durability) {
  /** @type {number[]} */
  const times = [];
  let last = 0;
  const model = instantModel((index) => {
    const now = performance.now();
    if (index > 0) times.push((now - last) * 1_000);
    last = now;
    return index < steps ? trivialCall(index) : noop();
  });
  const legion = await startBench({ plans: [await plan({ id: "1", model })], durability });
  await legion.control.say(["1"], "go");
  await legion.untilIdle(new AbortController().signal);
  await legion.stop();
  return times;
}

/** What the same bytes cost written by hand: two lines a step, each written before going on. @param {boolean} sync */
function floor(sync) {
  const fd = openSync(join(temporaryFolder(), "floor"), "a");
  const event = { seq: 1, epoch: 1, at: new Date().toISOString(), kind: "result", content: "x".repeat(100) };
  const steps = sync ? 300 : 5_000;
  const started = performance.now();
  for (let step = 0; step < 2 * steps; step++) {
    writeSync(fd, `${JSON.stringify(event)}\n`);
    if (sync) fdatasyncSync(fd);
  }
  const each = ((performance.now() - started) * 1_000) / steps;
  closeSync(fd);
  return each;
}

await run(500, "process");
const events = 50_000;
const steps = await run(events, "process");
const early = median(steps.slice(20, 220));
const first = median(steps.slice(200, 1_200));
const late = median(steps.slice(-1_000));
const growth = late / first;
const written = median(steps.slice(0, 5_000));
const synced = median((await run(1_000, "disk")).slice(50));
report([
  figure("3", "self-driving step, written", `${round(written)} us`, {
    beside: `2 lines by hand ${round(floor(false))} us`,
    goal: "<= 250 us",
    met: written <= 250,
  }),
  figure("3", "self-driving step, on the disk", `${round(synced)} us`, {
    beside: `2 flushes by hand ${round(floor(true))} us`,
  }),
  figure("4", `step at event ${2 * events} against event ~100`, `${round(late)} / ${round(early)} us`, {
    beside: `against events 400 to 2400: ${round(growth, 2)}`,
    goal: "<= 1.3",
    met: late / early <= 1.3,
  }),
]);
