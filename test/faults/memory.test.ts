// The machine stops, or the disk gives an error, at each single call that a long-term memory makes. `LEGION_FAULTS=long` tries
// every share of each call, each error, and many seeds; without it each call is tried once in each test.

import { describe, expect, it } from "vitest";
import { messageOf } from "../../src/base/errors.ts";
import { releaseLock } from "./crashes.ts";
import { createFaultyDisk, type Blow, type DiskCall, type Errno } from "./faulty-disk.ts";
import { afterKill, afterPowerCut, createRandom, type Files, type Random, type Tearing } from "./files.ts";
import { auditMemoryCrash, auditMemoryEnd } from "./memory-audit.ts";
import { MEMORY, playMemory, type MemoryOutside } from "./memory-story.ts";

const isLong = process.env["LEGION_FAULTS"] === "long";
const TEST_MS = isLong ? 7_200_000 : 180_000;
const SHARES = [0, 0.5, 1];
const ERRORS: readonly Errno[] = ["ENOSPC", "EIO", "EACCES", "EROFS", "EMFILE"];
const rounds = isLong ? 3_000 : 60;
/** About as many calls as the story has. */
const CALLS = 190;

type Blows = (call: DiskCall) => Blow | undefined;

interface Fate {
  readonly blow: Blows;
  readonly by: "kill" | "power cut";
  readonly random: Random;
  readonly tearing?: Tearing;
}

interface Ending {
  readonly problems: readonly string[];
  readonly hit: boolean;
}

/** Plays it on a machine that this happens to, then on as many more as there are, then on one that works; audits each time. */
async function playThrough(fates: readonly Fate[]): Promise<Ending> {
  const outside: MemoryOutside = { accepted: new Set(), isForgotten: false };
  const problems: string[] = [];
  let files: Files = new Map();
  let hit = false;
  for (const { blow, by, random, tearing } of fates) {
    const disk = createFaultyDisk({
      files,
      blow(call) {
        const struck = blow(call);
        hit ||= struck !== undefined;
        return struck;
      },
    });
    const playing = playMemory(disk, outside).catch((error: unknown) => {
      if (!disk.crashed) problems.push(messageOf(error));
    });
    await Promise.race([playing, disk.stopped]);
    files = by === "kill" ? afterKill(files) : afterPowerCut(files, random, tearing);
    releaseLock(files, MEMORY.lock);
    problems.push(...(await auditMemoryCrash(files, outside)));
  }
  await playMemory(createFaultyDisk({ files }), outside).catch((error: unknown) =>
    problems.push(messageOf(error)),
  );
  const tearing = fates.some((fate) => fate.tearing === "holes") ? "holes" : "cut";
  problems.push(...(await auditMemoryEnd(files, outside, tearing)));
  return { problems, hit };
}

function crashAt(at: number, done: number): Blows {
  return ({ n }) => (n === at ? { kind: "crash", done } : undefined);
}

function failAt(at: number, errno: Errno, done: number): Blows {
  return ({ n, op }) => {
    const share = ["append", "replace", "remove", "overwrite"].includes(op) ? done : 0;
    return n === at ? { kind: "error", errno, done: share } : undefined;
  };
}

const both =
  (...blows: readonly Blows[]): Blows =>
  (call) =>
    blows.map((blow) => blow(call)).find((hit) => hit !== undefined);

describe("a memory whose machine stops", () => {
  it.each(["kill", "power cut"] as const)(
    "loses nothing, holds nothing twice and keeps nothing that was forgotten after a %s at any call to the disk",
    async (by) => {
      for (let at = 1, isOver = false; !isOver; at++) {
        for (const done of isLong ? SHARES : [SHARES[at % SHARES.length]!]) {
          const { problems, hit } = await playThrough([
            { blow: crashAt(at, done), by, random: createRandom(at) },
          ]);
          expect({ at, done, problems }).toEqual({ at, done, problems: [] });
          isOver = !hit;
        }
      }
    },
    TEST_MS,
  );

  it(
    "keeps all of that where it stops again and again, and where the disk fails before it does",
    async () => {
      for (let seed = 0; seed < rounds; seed++) {
        const random = createRandom(seed);
        const tearing = seed % 4 === 0 ? "holes" : "cut";
        const fates = [0, 1, 2].map((): Fate => {
          const at = 1 + Math.floor(random() * CALLS);
          const failure = failAt(Math.max(1, at - 1 - Math.floor(random() * 40)), "EIO", random());
          const by = random() < 0.5 ? "kill" : "power cut";
          const blow = seed % 2 ? both(failure, crashAt(at, random())) : crashAt(at, random());
          return { blow, by, random, tearing };
        });
        const { problems } = await playThrough(fates);
        expect({ seed, problems }).toEqual({ seed, problems: [] });
      }
    },
    TEST_MS,
  );
});

describe("a memory on a disk that gives an error", () => {
  it(
    "at one call goes on by itself, and keeps all of that, also where the power is cut after it",
    async () => {
      for (let at = 1, isOver = false; !isOver; at++) {
        for (const errno of isLong ? ERRORS : [ERRORS[at % ERRORS.length]!]) {
          const done = at % 2 === 0 ? 0.5 : 0;
          const by = at % 3 === 0 ? "power cut" : "kill";
          const fate: Fate = { blow: failAt(at, errno, done), by, random: createRandom(at) };
          const { problems, hit } = await playThrough([fate]);
          expect({ at, errno, done, problems }).toEqual({ at, errno, done, problems: [] });
          isOver = !hit;
        }
      }
    },
    TEST_MS,
  );
});

describe("the audit of such a memory", () => {
  /** The first problem that stops at random calls bring to light where such calls only say that they are done. */
  async function firstProblem(op: DiskCall["op"], where: string): Promise<string | undefined> {
    const skip: Blows = (call) =>
      call.op === op && call.path.includes(where) ? { kind: "skip", done: 0 } : undefined;
    for (let seed = 0; seed < 200; seed++) {
      const random = createRandom(seed);
      const blow = both(crashAt(1 + Math.floor(random() * CALLS), random()), skip);
      const { problems } = await playThrough([{ blow, by: "power cut", random }]);
      if (problems.length > 0) return problems[0];
    }
    return undefined;
  }

  it.each([
    ["words that are not flushed before their records", "flush", "/texts/", /says ""$/],
    ["records that are not flushed", "flush", "/log/", /is lost$/],
    [
      "what was to be erased and was not",
      "overwrite",
      "/texts/",
      /still has what was forgotten|is forgotten/,
    ],
  ] as const)("finds %s", async (_, op, where, problem) => {
    expect(await firstProblem(op, where)).toMatch(problem);
  });
});
