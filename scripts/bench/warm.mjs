// What the first steps of a process cost beside later ones: processor time, whatever else the machine does.

import { figure, instantModel, noop, plan, report, round, startBench, trivialCall } from "./bench.mjs";

const STEPS = 24_000;
const SPAN = 2_000;

/** @type {NodeJS.CpuUsage[]} */
const marks = [];
const model = instantModel((index) => {
  if (index % SPAN === 0) marks.push(process.cpuUsage());
  return index < STEPS ? trivialCall(index) : noop();
});
const legion = await startBench({ plans: [await plan({ id: "1", model })], durability: "process" });
await legion.control.say(["1"], "go");
await legion.untilIdle(new AbortController().signal);
await legion.stop();

/** @param {NodeJS.CpuUsage} usage */
const total = ({ user, system }) => user + system;
const each = marks.slice(1).map((mark, span) => (total(mark) - total(marks[span] ?? mark)) / SPAN);
const first = each[0] ?? 0;
const late = each.at(-1) ?? 0;
report([
  figure("19", `processor of a step, the first ${SPAN} / after ${STEPS - SPAN}`, `${round(first, 0)} us`, {
    beside: `${round(late, 0)} us: ${round(first / late)} times`,
    goal: "<= 1.5 times",
    met: first / late <= 1.5,
  }),
]);
