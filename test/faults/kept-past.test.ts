// What is left of a past that was being kept beside its log when the power was cut: nothing of it is ever flushed.

import { lstat, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createKeptPast, FORGED, STEPS, type Kept } from "../storage/files/kept-past.ts";
import { afterPowerCut, createRandom, type Tearing } from "./files.ts";

const IMAGES = Number(process.env["LEGION_IMAGES"] ?? 40);
/** Steps that are enough to have it kept once more. */
const MORE = 150;

/** A log whose past was kept twice, both times with what nobody but it can say, and both files. */
async function keptTwice() {
  const place = await createKeptPast();
  await place.forge();
  const earlier = await readFile(place.file);
  const log = await filesOf(place);
  await place.write(MORE);
  expect(await place.steps()).toBe(FORGED + MORE);
  const later = await readFile(place.file);
  expect(later.equals(earlier)).toBe(false);
  return { place, earlier, later, log };
}

async function filesOf({ folder }: Kept): Promise<ReadonlyMap<string, Buffer>> {
  const names = await readdir(folder);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)),
  );
}

/** Steps that the log comes to with `bytes` beside it. `null`: with nothing. */
async function stepsWith({ file, steps }: Kept, bytes: Buffer | null): Promise<number> {
  await rm(file, { force: true });
  await mkdir(dirname(file), { recursive: true });
  if (bytes) await writeFile(file, bytes);
  return steps();
}

describe("a past that was being kept when the power was cut", () => {
  it.each<Tearing>(["cut", "holes"])(
    "counts as a whole, the one before it as well, or not at all (L9, %s)",
    async (tearing) => {
      const { place, earlier, later } = await keptTwice();
      const random = createRandom(19);
      const seen = { torn: 0, whole: 0 };
      for (let image = 0; image < IMAGES; image++) {
        const before = image % 2 === 0 ? { bytes: earlier } : { bytes: undefined };
        const written = new Map([[place.file, { bytes: later, synced: 0, before }]]);
        const left = afterPowerCut(written, random, tearing).get(place.file)?.bytes ?? null;
        const isWhole = left !== null && [earlier, later].some((bytes) => bytes.equals(left));
        const steps = (isWhole ? FORGED : STEPS) + MORE;
        expect([image, await stepsWith(place, left)]).toEqual([image, steps]);
        if (left !== null) seen[isWhole ? "whole" : "torn"]++;
      }
      expect(Math.min(seen.torn, seen.whole)).toBeGreaterThan(0);
    },
    60_000,
  );

  it("does not count where it knows more than what is left of its log", async () => {
    const { place, earlier, later, log } = await keptTwice();
    const now = await filesOf(place);
    for (const [name, bytes] of now) {
      // What was written since the earlier one was kept is torn, in the middle.
      const known = log.get(name)?.length ?? 0;
      await writeFile(join(place.folder, name), bytes.subarray(0, (known + bytes.length) >> 1));
    }
    expect(await stepsWith(place, earlier)).toBeGreaterThanOrEqual(FORGED);
    const left = await stepsWith(place, null);
    expect(left).toBeLessThan(STEPS + MORE);
    expect(await stepsWith(place, later)).toBe(left);
    expect((await lstat(place.file)).isFile()).toBe(true);
  });
});
