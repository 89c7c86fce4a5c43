// Each ablation changes a line of the sources by its text: whoever rewrites that line finds the error here, and says what
// now stands for the same part of the protocol.

import { describe, expect, it } from "vitest";
import { ABLATIONS } from "./ablations.ts";
import { torture } from "./campaign.ts";
import { complaintOf } from "./summary.ts";
import { sleepingLives } from "./schedule.ts";

const MAX_TRIES = 5;

describe("the checker of the torture test finds what goes wrong without", () => {
  it.each(ABLATIONS)("$part", { timeout: 120_000 }, async ({ fault, ...ablation }) => {
    const found = new Set<string>();
    const isFound = (): boolean => [fault].flat().some((expected) => found.has(expected));
    // What two processes do at one time, such as answering twice before the first answer is read, may miss each other.
    for (let seed = 1; seed <= MAX_TRIES && !isFound(); seed++) {
      const outcome = await torture({ ...ablation, seed, settleMs: 10_000, keep: "nothing" });
      for (const violation of outcome.violations) found.add(violation.fault);
    }
    expect([...found]).toSatisfy(isFound);
  });
});

it(
  "and it finds nothing when a stopped process wakes up beside its successor",
  { timeout: 120_000 },
  async () => {
    const lives = (random: () => number) => sleepingLives(random, 5);
    const outcome = await torture({ seed: 1, lives, settleMs: 60_000, keep: "failed" });
    expect(complaintOf(outcome)).toBe("");
  },
);

it("and it finds nothing when such lives end with everything in place", { timeout: 120_000 }, async () => {
  for (const { lives } of ABLATIONS.filter(({ fault }) => fault === "lost")) {
    const outcome = await torture({ seed: 1, lives, settleMs: 60_000, keep: "failed" });
    expect(complaintOf(outcome)).toBe("");
  }
});
