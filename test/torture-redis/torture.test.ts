// To run a seed again: TORTURE_SEED=<seed> npx vitest run test/torture-redis/torture.test.ts. It draws the same troubles at
// the same moments; what they hit is up to the machine. More of it: npm run torture:redis -- --minutes 15.

import { describe, expect, it } from "vitest";
import { redisIsThere } from "../storage/redis/servers.ts";
import { torture } from "./campaign.ts";
import { EVERYTHING } from "./schedule.ts";
import { complaintOf } from "../torture/summary.ts";
import { tableOf } from "./table.ts";

const FOR_MS = 60_000;

describe.skipIf(!redisIsThere)("a legion of four nodes", () => {
  it(
    "whose nodes are killed, stopped and cut off, and whose Redis is killed, loses no message, applies none twice or out of " +
      "order, has one owner of each log, does nothing outside once another has spoken, nor what a person has not allowed where " +
      "one has to be asked, closes every intent once, and every question with what came first, and releases each follow-up once, " +
      "when its reader rests, or withdraws it for a steer (A2, A5), and remembers each message once, word for word and in order, and of " +
      "contexts those of the memory's keeper (M5, M6)",
    { timeout: 300_000 },
    async () => {
      const seed = Number(process.env["TORTURE_SEED"] ?? Date.now() % 1_000_000);
      const outcome = await torture({ ...EVERYTHING, seed, forMs: FOR_MS, keep: "failed" });
      console.log(`seed ${seed}\n${tableOf([outcome])}`);
      expect(complaintOf(outcome)).toBe("");
      // A test in which nothing was under way when something happened would prove nothing.
      const { kill, stop, cut, redis } = outcome.counts;
      expect(Math.min(kill, stop, cut, redis)).toBeGreaterThan(0);
      expect(outcome.figures.expected).toBeGreaterThan(200);
      expect(outcome.figures.takings).toBeGreaterThan(30);
      expect(outcome.figures.interrupted).toBeGreaterThan(0);
      expect(outcome.figures.woken).toBeGreaterThan(0);
      expect(outcome.figures.questions).toBeGreaterThan(50);
      const { approved, denied, superseded } = outcome.figures;
      expect(Math.min(approved, denied, superseded)).toBeGreaterThan(0);
      const { steers, aborts, released, withdrawn, leftOut, looks } = outcome.figures;
      expect(Math.min(steers, aborts, released, withdrawn, leftOut, looks)).toBeGreaterThan(0);
      const { heard, kept, strays, flushes } = outcome.figures;
      expect(heard).toBeGreaterThan(200);
      expect(Math.min(kept, strays, flushes)).toBeGreaterThan(0);
    },
  );
});
