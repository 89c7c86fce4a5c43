// `npm run torture [-- --kills 1000] [--seed n]`: kills a legion again and again, in rounds of a hundred, and checks after
// each that nothing was lost, repeated or left open. A round that fails says its seed; with it as --seed it is the first.
// `--ablations`: leaves out one part of the protocol after another, and shows what the checker finds then.

import { parseArgs } from "node:util";
import { tsImport } from "tsx/esm/api";
import { elapsed } from "./repo.mjs";

const ROUND = 100;

const { values } = parseArgs({
  options: { kills: { type: "string" }, seed: { type: "string" }, ablations: { type: "boolean" } },
});
const kills = count(values.kills, 1_000);
const firstSeed = count(values.seed, Date.now() % 1_000_000);

const { tableOf, torture } = await tsImport("../test/torture/campaign.ts", import.meta.url);
const { complaintOf } = await tsImport("../test/torture/summary.ts", import.meta.url);
const { ALL_LANES } = await tsImport("../test/torture/parcel.ts", import.meta.url);
const { randomLives } = await tsImport("../test/torture/schedule.ts", import.meta.url);

const started = performance.now();
if (values.ablations) await ablate();
else await run();

async function run() {
  /** @type {import("../test/torture/campaign.ts").Torture[]} */
  const rounds = [];
  for (let done = 0; done < kills; done += ROUND) {
    const seed = firstSeed + rounds.length;
    /** @type {import("../test/torture/campaign.ts").Torture} */
    const round = await torture({
      seed,
      lives: (/** @type {() => number} */ random) => randomLives(random, Math.min(ROUND, kills - done)),
      settleMs: 120_000,
      lanes: ALL_LANES,
      keep: "failed",
      onKill: (/** @type {number} */ killed) => {
        process.stderr.write(`\rseed ${seed}: ${done + killed} of ${kills} kills, ${elapsed(started)} `);
      },
    });
    rounds.push(round);
    if (round.violations.length === 0) continue;
    process.exitCode = 1;
    console.log(`\n${complaintOf(round)}\n`);
  }
  console.log(`\n\nseeds ${firstSeed} to ${firstSeed + rounds.length - 1}, ${elapsed(started)}`);
  console.log(tableOf(rounds));
}

async function ablate() {
  /** @type {typeof import("../test/torture/ablations.ts")} */
  const { ABLATIONS } = await tsImport("../test/torture/ablations.ts", import.meta.url);
  /** @type {typeof import("../test/torture/ablation.ts")} */
  const { tryWithout } = await tsImport("../test/torture/ablation.ts", import.meta.url);
  for (const ablation of ABLATIONS) {
    const { isFound, found } = await tryWithout(ablation);
    if (!isFound) process.exitCode = 1;
    console.log(
      `${isFound ? "found " : "MISSED"} ${ablation.part}: ${found.join(", ")}, ${elapsed(started)}`,
    );
  }
}

/**
 * @param {string | undefined} given
 * @param {number} otherwise
 */
function count(given, otherwise) {
  if (given === undefined) return otherwise;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  console.error(`"${given}" is no number; such as --kills 1000 --seed 1`);
  process.exit(2);
}
