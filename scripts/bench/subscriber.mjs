// What a program that listens to an agent costs it: a step with a subscriber beside one without.

import { byTurns, figure, load, report, round, timeStep } from "./bench.mjs";

const TURNS = 9;

const { subscribeToAgent } = await load("src/legion/watching/subscribe.js");

let heard = 0;
const { one, other, ratio } = await byTurns(
  () => timeStep({}),
  () => timeStep({ follow: ({ inspector }) => subscribeToAgent(inspector, "1", () => heard++) }),
  TURNS,
);
if (heard === 0) throw new Error("nothing was told");
report([
  figure("", "step with a subscriber", `${round(other)} us`, {
    beside: `without ${round(one)} us: ${round(ratio, 3)}`,
    goal: "<= 1.1",
    met: ratio <= 1.1,
  }),
]);
