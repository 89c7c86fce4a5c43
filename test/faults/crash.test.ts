// The machine stops at each single call of the disk interface. `LEGION_FAULTS=long` tries every way in which a call can be
// cut short, with many seeds; without it each call is tried once in each test.

import { describe, expect, it } from "vitest";
import { playThrough, type Crashes, type Stop } from "./crashes.ts";
import type { DiskCall } from "./faulty-disk.ts";
import { createRandom, type Random } from "./files.ts";

const isLong = process.env["LEGION_FAULTS"] === "long";
const TEST_MS = isLong ? 7_200_000 : 180_000;
const SHARES = [0, 0.5, 1];
const seeds = Array.from({ length: isLong ? 10 : 1 }, (_, seed) => seed);
const rounds = isLong ? 5_000 : 40;
/** About as many calls as the scenario has. */
const CALLS = 280;

/** Some stops at random calls, the last one a power cut. */
function randomStops(random: Random): readonly Stop[] {
  const stop = (calls: number): Stop => ({
    at: 1 + Math.floor(random() * calls),
    done: random(),
    by: random() < 0.7 ? "kill" : "power cut",
  });
  return [stop(CALLS), { ...stop(CALLS / 2), by: "power cut" }];
}

/** The same, and before each of them a call that fails. */
function withFailures(stops: readonly Stop[], random: Random): readonly Stop[] {
  return stops.map((stop) => {
    const at = Math.max(1, stop.at - 1 - Math.floor(random() * 40));
    return { ...stop, failure: { at, errno: "EIO", done: random() } };
  });
}

/** Such calls only say that they are done: what a test takes away to see what it was good for. */
function without(op: DiskCall["op"], where = ""): Pick<Crashes, "blow"> {
  return {
    blow: (call) => (call.op === op && call.path.includes(where) ? { kind: "skip", done: 0 } : undefined),
  };
}

/** The first problem that such crashes bring to light; `undefined` if none does. */
async function firstProblem(
  crashes: Omit<Crashes, "random" | "stops">,
  by: Stop["by"],
): Promise<string | undefined> {
  for (let seed = 0; seed < 300; seed++) {
    const random = createRandom(seed);
    const stops: Stop[] = [{ at: 1 + Math.floor(random() * CALLS), done: random(), by }];
    if (by === "power cut") stops.unshift({ at: 1 + Math.floor(random() * CALLS), done: 1, by: "kill" });
    const { problems } = await playThrough({ ...crashes, stops, random });
    if (problems.length > 0) return problems[0];
  }
  return undefined;
}

describe("a legion whose machine stops", () => {
  it.each(["kill", "power cut"] as const)(
    "loses nothing and does nothing twice after a %s at any call to the disk",
    async (by) => {
      for (let at = 1, ended = false; !ended; at++) {
        for (const seed of seeds) {
          for (const done of isLong ? SHARES : [SHARES[at % SHARES.length]!]) {
            const random = createRandom(at * 1_000 + seed);
            const { problems, stopped } = await playThrough({ stops: [{ at, done, by }], random });
            expect({ at, done, seed, problems }).toEqual({ at, done, seed, problems: [] });
            ended = stopped === 0;
          }
        }
      }
    },
    TEST_MS,
  );

  it(
    "gets through crashes while it recovers from crashes, at whatever pace the disk works",
    async () => {
      for (let seed = 0; seed < rounds; seed++) {
        const random = createRandom(seed);
        const stops = randomStops(random);
        const { problems } = await playThrough({ stops, random, pace: createRandom(seed) });
        expect({ seed, stops, problems }).toEqual({ seed, stops, problems: [] });
      }
    },
    TEST_MS,
  );

  it(
    "loses nothing where the disk fails shortly before it stops",
    async () => {
      for (let seed = 0; seed < rounds; seed++) {
        const random = createRandom(seed);
        const stops = withFailures(randomStops(random), random);
        const { problems } = await playThrough({ stops, random, pace: createRandom(seed) });
        expect({ seed, stops, problems }).toEqual({ seed, stops, problems: [] });
      }
    },
    TEST_MS,
  );

  it(
    "loses nothing that was acknowledged where zeros stand for what was not",
    async () => {
      for (let seed = 0; seed < rounds; seed++) {
        const random = createRandom(seed);
        const stops = randomStops(random);
        const { problems } = await playThrough({ stops, random, pace: createRandom(seed), tearing: "holes" });
        expect({ seed, stops, problems }).toEqual({ seed, stops, problems: [] });
      }
    },
    TEST_MS,
  );
});

describe("the audit of such a legion", () => {
  it("finds what is lost when a commit is not flushed", async () => {
    expect(await firstProblem(without("flush"), "power cut")).toMatch(/^agent \d lost its/);
  });

  it("finds what is lost when recovery trusts what it has not flushed", async () => {
    expect(await firstProblem(without("sync"), "power cut")).toBeDefined();
  });

  it("finds what is done twice when it is run again after a crash", async () => {
    expect(await firstProblem({ effects: "idempotent" }, "kill")).toMatch(/was done twice$/);
  });

  it("finds mail that the mailbox did not keep", async () => {
    expect(await firstProblem(without("append", "/mailbox/"), "kill")).toMatch(
      /nobody heard it$|has taken in/,
    );
  });

  it("finds files that do not show what they should", async () => {
    expect(await firstProblem(without("replace", "/notes/"), "kill")).toMatch(
      /does not show its state|edited/,
    );
  });
});
