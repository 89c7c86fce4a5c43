// What is known of agents that rest, across starts, power cuts and damage.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NOTHING } from "../../../src/past/limits/spending.ts";
import type { AtRest } from "../../../src/storage/contract/resting.ts";
import { MANY, openRestIndex, type KnownAgents } from "../../../src/storage/files/resting.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import { createFaultyDisk, type FaultyDisk } from "../../faults/faulty-disk.ts";
import { afterPowerCut, createRandom, type Files } from "../../faults/files.ts";

const paths = legionPaths("/project");
const FILE = `${paths.root}/cache/at-rest.jsonl`;
const IDS = Array.from({ length: MANY + 1 }, (_, index) => String(index + 1));
const AT: AtRest = { spent: { ...NOTHING, steps: 3 }, last: 7, plan: "abc" };
const authorship = {
  sign: (of: string, epoch: number): string => `${of} ${epoch}`,
  isOwn: (code: unknown, of: string, epoch: number): boolean => code === `${of} ${epoch}`,
};

/** A home with many agents. */
function home(): Files {
  const bytes = Buffer.from("{}");
  return new Map(IDS.map((id) => [`${paths.agent(id)}/agent.json`, { bytes, synced: bytes.length }]));
}

function open(disk: FaultyDisk, epoch: number): Promise<KnownAgents> {
  const lock = { epoch, held: () => true };
  return openRestIndex({ paths, disk, lock, authorship, durability: "disk", hosted: new Set(IDS) });
}

/** The index of the next process, with what the one before it said. */
async function after(files: Files, epoch = 2): Promise<KnownAgents> {
  return open(createFaultyDisk({ files }), epoch);
}

async function said(): Promise<Files> {
  const files = home();
  const index = await open(createFaultyDisk({ files }), 1);
  index.rest("1", AT);
  index.rest("2", AT);
  await index.wake("2");
  await index.close();
  return files;
}

describe("the index of agents at rest", () => {
  it("tells the next process of those that rest, and of no other", async () => {
    const index = await after(await said());
    expect(index.of("1")).toEqual(AT);
    expect(index.of("2")).toBeUndefined();
    expect(index.of("3")).toBeUndefined();
  });

  it("says nothing to whoever comes after somebody who did not write in it (Z6)", async () => {
    expect((await after(await said(), 3)).of("1")).toBeUndefined();
  });

  it("says nothing that another person wrote (Z6)", async () => {
    const files = await said();
    const lock = { epoch: 2, held: () => true };
    const disk = createFaultyDisk({ files });
    const other = { ...authorship, isOwn: () => false };
    const hosted = new Set(IDS);
    const index = await openRestIndex({ paths, disk, lock, authorship: other, durability: "disk", hosted });
    expect(index.of("1")).toBeUndefined();
  });

  it("says nothing of an agent that was deleted by hand (Z6)", async () => {
    const files = await said();
    files.delete(`${paths.agent("1")}/agent.json`);
    expect((await after(files)).of("1")).toEqual({ spent: NOTHING, last: 0, plan: "" });
  });

  it("never says that one rests that was woken, whatever bytes of it are damaged (Z6)", async () => {
    const { bytes } = (await said()).get(FILE)!;
    for (let at = 0; at < bytes!.length; at++) {
      const damaged = Buffer.from(bytes!);
      damaged[at]! ^= 0x15;
      const files = home().set(FILE, { bytes: damaged, synced: damaged.length });
      const index = await after(files);
      expect([at, index.of("2")]).toEqual([at, undefined]);
    }
  });

  it("never says after a power cut that one rests whose waking was acknowledged (Z5)", async () => {
    const step = fc.record({ agent: fc.constantFrom("1", "2", "3"), does: fc.constantFrom("rest", "wake") });
    const story = fc.record({
      steps: fc.array(step, { minLength: 1, maxLength: 12 }),
      cut: fc.integer({ min: 1, max: 40 }),
      seed: fc.integer(),
      tearing: fc.constantFrom("cut" as const, "holes" as const),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ steps, cut, seed, tearing }) => {
        const files = home();
        const before = await open(createFaultyDisk({ files }), 1);
        for (const agent of ["1", "2", "3"]) before.rest(agent, AT);
        await before.close();
        const disk = createFaultyDisk({
          files,
          blow: ({ n }) => (n === cut ? { kind: "crash", done: 0.5 } : undefined),
        });
        /** Those whose newest acknowledged word is that they woke. */
        const woken = new Set<string>();
        const play = async (): Promise<void> => {
          const index = await open(disk, 2);
          for (const { agent, does } of steps) {
            if (does === "wake") {
              await index.wake(agent);
              if (!disk.crashed) woken.add(agent);
            } else {
              woken.delete(agent);
              index.rest(agent, AT);
            }
          }
          disk.turnOff();
        };
        await Promise.race([play().catch(() => undefined), disk.stopped]);
        const left = afterPowerCut(files, createRandom(seed), tearing);
        const index = await after(left, 3);
        for (const agent of woken) expect(index.of(agent)?.last ?? 0).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});
