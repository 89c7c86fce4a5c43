// A step that calls one of 1,280 tools, beside a step that calls one of ten.

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
} from "../bench.mjs";

const TURNS = 8;
const STEPS = 1_000;

const { indexActions } = await load("src/agent/parts/module-set.js");
const { toolsProtocol } = await load("src/model/protocol/tools.js");
const { defineAction, defineModule, ok } = await load("src/domain/authoring/module.js");
const { core } = await load("modules/core.js");
const { z } = await import("zod");

const touch = defineAction({
  description: "Touches something, and says so in a few words",
  parameters: { n: z.string() },
  effects: "none",
  execute: (/** @type {{n: string}} */ { n }) => ok(`touched ${n}`),
});
const outside = defineModule({
  name: "outside",
  actions: {},
  offers: {
    find: (/** @type {{settings: {count: number}}} */ { settings: { count } }) => Promise.resolve({ count }),
    actions: (/** @type {{count: number}} */ { count }) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`server__tool${n}`, touch])),
  },
});

/** The microseconds of a step. @param {number} count of tools that were found outside */
async function step(count) {
  /** @type {number[]} */
  const times = [];
  let last = 0;
  const model = instantModel((index) => {
    const now = performance.now();
    if (index > 0) times.push((now - last) * 1_000);
    last = now;
    if (index === STEPS) return noop();
    const name = `server__tool${(index * 7) % count}`;
    return { calls: [{ id: `call-${index}`, name, arguments: `{"n":"${index}"}` }] };
  });
  const settled = await plan({ id: "1", model });
  const actions = indexActions([core, outside], toolsProtocol);
  const settings = { outside: { count } };
  const legion = await startBench({ plans: [{ ...settled, actions, settings }] });
  await legion.control.say(["1"], "go");
  await legion.untilIdle(new AbortController().signal);
  await legion.stop();
  return median(times.slice(STEPS / 8));
}

const { one, other, ratio } = await byTurns(
  () => step(10),
  () => step(1_280),
  TURNS,
);
report([
  figure("15", "step that calls one of 1,280 tools", `${round(other, 0)} us`, {
    beside: `one of 10 ${round(one, 0)} us: ${round(ratio, 2)}`,
    goal: "<= 1.3",
    met: ratio <= 1.3,
  }),
]);
