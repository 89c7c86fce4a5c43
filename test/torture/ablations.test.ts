// Each ablation changes a line of the sources by its text: whoever rewrites that line finds the error here, and says what
// now stands for the same part of the protocol. Here is one for each kind of fault; all of them by
// `npm run torture -- --ablations`.

import { describe, expect, it } from "vitest";
import { tryWithout } from "./ablation.ts";
import { ABLATIONS } from "./ablations.ts";
import { torture } from "./campaign.ts";
import { changedFiles } from "./program.ts";
import { complaintOf } from "./summary.ts";
import { sleepingLives } from "./schedule.ts";

const FOR_EACH_FAULT = [
  "the decision before its calls",
  "the recipient's watermarks",
  "the second delivery after a restart",
  "not doing again what must happen once",
  "closing what a crash left open",
  "files that a crash left behind the log are completed",
  "a segment for each process",
  "a question that is still open after a crash",
  "the first verdict before the second",
  "judging once more after a yes",
  "the event that releases what was held",
  "the oldest follow-up first",
  "listing the follow-ups that a steer withdraws",
  "a steer that lets no further call begin",
  "a message is one entry of a memory, whoever enters it",
  "what was taken in of an observed log is known by its number",
  "observed logs are read on from where the observer's own log says",
  "the messages of a thread are counted by the log",
  "two who talk are read in one log",
  "contexts count from the keeper of a memory alone",
];

describe("the checker of the torture test finds what goes wrong without", () => {
  it.each(ABLATIONS.filter(({ part }) => FOR_EACH_FAULT.includes(part)))(
    "$part",
    { timeout: 120_000 },
    async (ablation) => {
      expect(await tryWithout(ablation)).toMatchObject({ isFound: true });
    },
  );

  it.each(ABLATIONS)("$part, which is still where it was", ({ changes }) => {
    expect(() => changedFiles(changes)).not.toThrow();
  });

  it("any kind of fault", () => {
    const tried = ABLATIONS.filter(({ part }) => FOR_EACH_FAULT.includes(part));
    expect(tried).toHaveLength(FOR_EACH_FAULT.length);
    const faults = new Set(tried.flatMap(({ fault }) => fault));
    expect(ABLATIONS.flatMap(({ fault }) => fault).filter((fault) => !faults.has(fault))).toEqual([]);
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
