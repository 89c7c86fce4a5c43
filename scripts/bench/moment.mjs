// Any moment of a log of 50,000 events, beside folding it from its beginning: the first time, and once it was gone through.

import { join } from "node:path";
import { figure, load, median, report, round, temporaryFolder } from "./bench.mjs";
import { writeWorkedLog } from "./worked-log.mjs";

const EVENTS = 50_000;
const MOMENTS = 40;

const { createFileReader } = await load("src/storage/files/reader/reader.js");
const { createDigest } = await load("src/past/digest/digest.js");

// The person of this measure: what nobody signed is somebody else's, and nothing of that is kept.
process.env["XDG_CONFIG_HOME"] = temporaryFolder();
const project = temporaryFolder();
await writeWorkedLog(join(project, ".ai-legion"), "1", EVENTS);

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const reader = createFileReader(project);

/** As whoever keeps nothing would: every event up to there. @param {number} end */
async function foldTo(end) {
  const fold = createDigest();
  for await (const event of reader.events("1")) {
    if (event.seq > end) break;
    fold.see(event);
  }
  return fold.digest.ledger.spent.steps;
}

await timed(() => foldTo(EVENTS));
const whole = median([await timed(() => foldTo(EVENTS)), await timed(() => foldTo(EVENTS))]);
const first = await timed(() => reader.digest("1", { seq: EVENTS - 1 }));
const taken = [];
for (let turn = 0; turn < MOMENTS; turn++) {
  // Spread over the log, never where one is kept.
  const seq = 1 + ((turn * 7_919 * 17) % (EVENTS - 2));
  let steps = 0;
  taken.push(await timed(async () => (steps = (await reader.digest("1", { seq })).ledger.spent.steps)));
  if (turn % 10 === 0 && steps !== (await foldTo(seq))) throw new Error("the answers differ");
}
taken.sort((a, b) => a - b);
const beside = `folding all of it: ${round(whole)} ms`;
const slowest = taken.at(-1) ?? 0;
const share = slowest / whole;
report([
  figure("moment", "the first look at one of a log", `${round(first)} ms`, { beside }),
  figure("moment", "any moment, median", `${round(median(taken))} ms`, { beside }),
  figure("moment", "any moment, the slowest", `${round(slowest)} ms: ${round(share, 3)}`, {
    ...{ beside, goal: "<= 0.2", met: share <= 0.2 },
  }),
]);
