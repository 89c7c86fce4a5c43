// A decision of eight calls that only read, each of 100 ms, beside a decision of one.

import { byTurns, figure, instantModel, noop, plan, report, round, startBench } from "./bench.mjs";

const TURNS = 20;

/**
 * The milliseconds from a decision of `count` reads to the prompt that shows their results.
 * @param {number} count
 */
async function readAtOnce(count) {
  let began = 0;
  let ended = 0;
  const model = instantModel((index) => {
    if (index === 0) {
      began = performance.now();
      const ids = Array.from({ length: count }, (_, id) => `read-${id}`);
      return { calls: ids.map((id) => ({ id, name: "read", arguments: `{"n":"${id}"}` })) };
    }
    ended = performance.now();
    return noop();
  });
  const legion = await startBench({ plans: [await plan({ id: "1", model })], durability: "disk" });
  await legion.control.say(["1"], "go");
  await legion.untilIdle(new AbortController().signal);
  await legion.stop();
  return ended - began;
}

const { one, other, ratio } = await byTurns(
  () => readAtOnce(1),
  () => readAtOnce(8),
  TURNS,
);
report([
  figure("14", "8 reads of 100 ms in one decision", `${round(other)} ms`, {
    beside: `1 read ${round(one)} ms: ${round(ratio, 2)}`,
    goal: "<= 1.3",
    met: ratio <= 1.3,
  }),
]);
