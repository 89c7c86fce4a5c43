// To run a seed again: TORTURE_SEED=<seed> npx vitest run test/torture/torture.test.ts. It draws the same lives and the
// same moments; where exactly a moment hits is up to the machine. More kills: node scripts/torture.mjs --kills 1000.

import { expect, it } from "vitest";
import { tableOf, torture } from "./campaign.ts";
import { complaintOf } from "./summary.ts";
import { ALL_LANES } from "./parcel.ts";
import { randomLives } from "./schedule.ts";

const KILLS = 40;

it(
  `a legion that is killed ${KILLS} times loses no message, applies none twice or out of order, does nothing without an ` +
    "intent, nothing that a person has not allowed where one has to be asked, repeats nothing that must happen once, closes " +
    "every intent with one result and every question with what came first, releases each follow-up once, when its reader rests, or " +
    "withdraws it for a steer, begins nothing while a steer is unread (A2, A3, A5), remembers each message once, word for word and " +
    "in order, and of contexts those of the memory's keeper (M5, M6), tells of " +
    "no knot where there is none (W8, W9), and can read all of its logs",
  { timeout: 600_000 },
  async () => {
    const seed = Number(process.env["TORTURE_SEED"] ?? Date.now() % 1_000_000);
    const lives = (random: () => number) => randomLives(random, KILLS);
    const outcome = await torture({ seed, lives, settleMs: 120_000, lanes: ALL_LANES, keep: "failed" });
    console.log(`seed ${seed}\n${tableOf([outcome])}`);
    expect(complaintOf(outcome)).toBe("");
    expect(outcome.kills).toBe(KILLS);
    // A test in which nothing was under way when the process died would prove nothing.
    const { expected, interrupted, questions, approved, denied, superseded, woken } = outcome.figures;
    expect(expected).toBeGreaterThan(200);
    expect(questions).toBeGreaterThan(20);
    expect(Math.min(interrupted, approved, denied, superseded, woken)).toBeGreaterThan(0);
    const { steers, aborts, released, withdrawn, leftOut, looks } = outcome.figures;
    expect(Math.min(steers, aborts, released, withdrawn, leftOut, looks)).toBeGreaterThan(0);
    const { heard, kept, strays, flushes } = outcome.figures;
    expect(heard).toBeGreaterThan(200);
    expect(Math.min(kept, strays, flushes)).toBeGreaterThan(0);
  },
);
