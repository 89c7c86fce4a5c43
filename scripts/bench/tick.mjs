// The decision tick with 500 agents: how late a decision comes, and whether the beat drifts.

import { figure, instantModel, plan, quantile, report, round, startBench, noop } from "./bench.mjs";

const AGENTS = 500;
const TICK_MS = 1_000;
const model = instantModel(() => noop());
const ids = Array.from({ length: AGENTS }, (_, index) => String(index + 1));
const legion = await startBench({
  plans: await Promise.all(ids.map((id) => plan({ id, model, tickMs: TICK_MS }))),
});
/** @type {Map<string, number>} */
const sent = new Map();
/** Of the first round, in which each agent makes its files, and of the others. @type {number[][]} */
const waits = [[], []];
let isFirst = true;
/** @type {number[]} */
const beats = [];
legion.inspector.watch((/** @type {any} */ { kind, agent, event }) => {
  if (kind !== "event" || event.kind !== "decision") return;
  waits[isFirst ? 0 : 1]?.push(performance.now() - (sent.get(agent) ?? 0));
  beats.push(performance.now() % TICK_MS);
});
for (let round_ = 0; round_ < 5; round_++) {
  for (const id of ids) {
    sent.set(id, performance.now());
    await legion.control.say([id], "go");
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
  }
  await legion.untilIdle(new AbortController().signal);
  isFirst = false;
}
await legion.stop();
const offset = quantile(beats, 0.5);
const [made = [], later = []] = waits;
/** @param {readonly number[]} some */
const both = (some) => `p50 ${round(quantile(some, 0.5), 0)} ms, p99 ${round(quantile(some, 0.99), 0)} ms`;
report([
  figure("2", `tick of ${TICK_MS} ms, ${AGENTS} agents: message -> decision`, both([...made, ...later]), {
    beside: `but for the first of each, which makes its files: ${both(later)}`,
    goal: "p99 <= 1010 ms",
    met: quantile([...made, ...later], 0.99) <= 1_010,
  }),
  figure("2", "decisions after the beat", `p50 ${round(offset)} ms`, {
    goal: "no drift: due times, not intervals",
  }),
]);
