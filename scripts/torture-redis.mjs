// `npm run torture:redis [-- --minutes 15] [--seed n]`: kills, stops and cuts off the nodes of a legion in Redis, and kills
// that Redis, in rounds of a minute, and checks after each that nothing was lost, repeated or left open. A round that fails
// says its seed; with it as --seed it is the first. With every fifth seed Redis loses the end of what it acknowledged
// whenever it is killed; with every second one little is said, so that agents come to rest. Then it times how long agents are still
// when their node ends, which takes longer than three rounds.
// `--ablations`: leaves out one part of the protocol after another, and shows what the checker finds then.

import { parseArgs } from "node:util";
import { tsImport } from "tsx/esm/api";
import { provideRedis } from "./redis.mjs";
import { elapsed } from "./repo.mjs";

const ROUND_MS = 60_000;
const SHORT = { leaseMs: 600, rounds: 12 };
const LONG = { leaseMs: 10_000, rounds: 5 };

const { values } = parseArgs({
  options: { minutes: { type: "string" }, seed: { type: "string" }, ablations: { type: "boolean" } },
});
const minutes = count(values.minutes, 15);
const firstSeed = count(values.seed, Date.now() % 1_000_000);
if (provideRedis() !== "there") process.exit(2);

/** @type {(name: string) => Promise<any>} */
const load = (name) => tsImport(`../test/torture-redis/${name}.ts`, import.meta.url);
/** @type {typeof import("../test/torture-redis/campaign.ts")} */
const { torture } = await load("campaign");
/** @type {typeof import("../test/torture-redis/schedule.ts")} */
const { EVERYTHING, SPARSE } = await load("schedule");
/** @type {typeof import("../test/torture-redis/table.ts")} */
const { faultsOf, tableOf } = await load("table");
/** @type {typeof import("../test/torture/summary.ts")} */
const { complaintOf } = await tsImport("../test/torture/summary.ts", import.meta.url);
/** @type {typeof import("../test/torture-redis/ablations.ts")} */
const { ABLATIONS, tryWithout } = await load("ablations");
/** @type {typeof import("../test/torture-redis/failover.ts")} */
const { quantile, timeFailover } = await load("failover");

const started = performance.now();
if (values.ablations) await ablate();
else await run();

async function run() {
  /** @type {import("../test/torture-redis/campaign.ts").Torture[]} */
  const rounds = [];
  for (let seed = firstSeed; seed < firstSeed + minutes; seed++) {
    const durability = seed % 5 === 0 ? "weak" : "always";
    const severity = seed % 2 === 0 ? EVERYTHING : SPARSE;
    const round = await torture({ ...severity, durability, seed, forMs: ROUND_MS, keep: "failed" });
    rounds.push(round);
    const what = `${durability}, ${round.figures.expected} applications, ${faultsOf(round)} wrong`;
    console.log(`seed ${seed}: ${what}, ${elapsed(started)}`);
    if (round.violations.length === 0) continue;
    process.exitCode = 1;
    console.log(`${complaintOf(round)}\n`);
  }
  console.log(
    `\nseeds ${firstSeed} to ${firstSeed + minutes - 1}, ${elapsed(started)}\n${tableOf(rounds)}\n`,
  );
  console.log("How long agents are still when their node ends, in a few minutes:");
  await time("kill", SHORT);
  await time("kill", LONG);
  await time("stop", LONG);
}

/**
 * @param {"kill" | "stop"} by
 * @param {{ leaseMs: number, rounds: number }} lease
 */
async function time(by, { leaseMs, rounds }) {
  const times = await timeFailover({ seed: firstSeed, by, leaseMs, rounds });
  const [p50, p95, max] = [0.5, 0.95, 1].map((share) => (quantile(times, share) / 1000).toFixed(2));
  const how = by === "kill" ? `SIGKILL, lease ${leaseMs / 1000} s` : "clean stop";
  console.log(`${how.padEnd(26)} p50 ${p50} s, p95 ${p95} s, max ${max} s of ${times.length} agents`);
}

async function ablate() {
  for (const ablation of ABLATIONS) {
    const { isFound, rounds } = await tryWithout(ablation, firstSeed);
    if (!isFound) process.exitCode = 1;
    const what = rounds.map(faultsOf).join("; ");
    console.log(`${isFound ? "found " : "MISSED"}  without ${ablation.part}: ${what} (${elapsed(started)})`);
  }
}

/**
 * @param {string | undefined} given
 * @param {number} otherwise
 */
function count(given, otherwise) {
  if (given === undefined) return otherwise;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  console.error(`"${given}" is no number; such as --minutes 15 --seed 1`);
  process.exit(2);
}
