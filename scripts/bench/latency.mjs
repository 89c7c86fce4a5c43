// Message to decision: from `say` to the model being asked, while the agent idles.

import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import {
  figure,
  instantModel,
  median,
  plan,
  quantile,
  report,
  round,
  startBench,
  temporaryFolder,
  noop,
} from "./bench.mjs";

/** @param {"disk" | "process"} durability @param {number} messages */
async function run(durability, messages) {
  const model = instantModel(() => noop());
  const legion = await startBench({ plans: [await plan({ id: "1", model })], durability });
  /** @type {() => void} */
  let arrived = () => undefined;
  legion.inspector.watch((/** @type {any} */ { kind, event }) => {
    if (kind === "event" && event.kind === "decision") arrived();
  });
  /** @type {number[]} */
  const times = [];
  for (let n = 0; n < messages; n++) {
    const started = performance.now();
    const decided = new Promise((resolve) => (arrived = () => resolve(undefined)));
    const [target] = ["1"];
    await Promise.all([legion.control.say([target], `message ${n}`), decided]);
    times.push(performance.now() - started);
    await legion.untilIdle(new AbortController().signal);
  }
  await legion.stop();
  return times.slice(messages / 10);
}

function flush() {
  const fd = openSync(join(temporaryFolder(), "flush"), "a");
  const times = [];
  for (let n = 0; n < 200; n++) {
    const started = performance.now();
    writeSync(fd, "x".repeat(300));
    fdatasyncSync(fd);
    times.push(performance.now() - started);
  }
  closeSync(fd);
  return median(times);
}

const written = await run("process", 2_000);
const synced = await run("disk", 300);
const flushMs = flush();
report([
  figure(
    "1",
    "message -> decision in the log, written",
    `p50 ${round(median(written), 2)} ms, p99 ${round(quantile(written, 0.99), 2)} ms`,
    {
      goal: "p50 <= 0.5 ms, p99 <= 2 ms",
      met: median(written) <= 0.5 && quantile(written, 0.99) <= 2,
    },
  ),
  figure(
    "1",
    "message -> decision in the log, on the disk, with the send",
    `p50 ${round(median(synced), 2)} ms`,
    {
      beside: `one flush ${round(flushMs, 2)} ms`,
      goal: "mail, its log and the decision: 3 flushes, and 1 for the send",
      met: median(synced) <= 4 * flushMs + 0.5,
    },
  ),
]);
