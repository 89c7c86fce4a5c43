// A prompt of a program, in memory, beside the bare step that it comes to: a message, a decision, rest.

import { byTurns, figure, load, report, round } from "./bench.mjs";

const TURNS = 15;
const BATCH = 200;

/**
 * The microseconds of one of `BATCH` exchanges, each of a scripted answer without calls.
 * @param {(legion: any, agent: any) => Promise<unknown>} exchange
 */
async function timeOf(exchange) {
  const { Legion, createScriptedModel } = await load("src/index.js");
  const model = createScriptedModel(() => "Hello.", { remember: 1 });
  const legion = await Legion.open({ store: "memory", model });
  const agent = await legion.spawn({ modules: ["core"] });
  const before = performance.now();
  for (let index = 0; index < BATCH; index++) await exchange(legion, agent);
  const us = ((performance.now() - before) / BATCH) * 1_000;
  await legion.stop();
  return us;
}

/** @param {any} legion */
function step({ runtime: { inspector, control } }) {
  return new Promise((resolve, reject) => {
    const unwatch = inspector.watch((/** @type {{kind: string, state?: string}} */ seen) => {
      if (seen.kind !== "live:state" || seen.state !== "idle") return;
      unwatch();
      resolve(undefined);
    });
    control.say(["1"], "Hi.").catch(reject);
  });
}

const { one, other, ratio } = await byTurns(
  () => timeOf(step),
  () => timeOf((_, agent) => agent.prompt("Hi.")),
  TURNS,
);
report([
  figure("15", "a prompt in memory", `${round(other, 0)} us`, {
    beside: `bare step ${round(one, 0)} us: ${round(ratio, 2)}`,
    goal: "<= 1.5",
    met: ratio <= 1.5,
  }),
]);
