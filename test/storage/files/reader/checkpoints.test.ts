import { mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { NewEvent } from "../../../../src/domain/event/event.ts";
import { createDigest, type Digest } from "../../../../src/past/digest/digest.ts";
import { isWhole, type LogEnd } from "../../../../src/storage/contract/digests/checkpoints.ts";
import { taken } from "../../../past/digest/any-log.ts";
import { createKept } from "./kept-log.ts";

type Kept = Awaited<ReturnType<typeof createKept>>;

/** Four processes one second after the other, each of which takes in a message; in the third the agent goes back. */
async function createLong(): Promise<Kept> {
  const kept = await createKept(700);
  await kept.write(500, "goes on", taken(1));
  await kept.write(400, "goes on", { kind: "branch", to: 1_000 }, taken(2));
  await kept.write(300, "goes on", taken(3), { kind: "notice", reason: "parked", content: "Enough." });
  return kept;
}

type IsWithin = (digest: Digest) => boolean;

/** By reading every event: for each of `ends` what those events come to that it holds for. */
async function foldedAt({ reader }: Kept, ...ends: readonly IsWithin[]): Promise<readonly Digest[]> {
  const whole = createDigest();
  const open = new Map(ends.map((isWithin) => [isWithin, createDigest()]));
  const folds = [...open.values()];
  for await (const event of reader.events("1")) {
    whole.see(event);
    for (const [isWithin, fold] of open)
      if (isWithin(whole.digest)) fold.see(event);
      else open.delete(isWithin);
    if (open.size === 0) break;
  }
  for (const fold of folds) await fold.settle(() => reader.events("1"));
  return folds.map(({ digest }) => digest);
}

const seqs = [1, 255, 256, 257, 1_000, 1_402, 2_404, 3_206, 3_809];
const ENDS: readonly LogEnd[] = [
  ...seqs.map((seq) => ({ seq })),
  ...[0, 999, 1_000, 2_000, 2_500, 3_000, 4_000, Infinity].map((ms) => ({ ms })),
  ...[0, 1, 2, 3].map((n) => ({ mail: new Map([["log of 0", n]]) })),
  { seq: 3_000, ms: 3_000, mail: new Map([["log of 0", 1]]) },
];

const filesOf = async ({ kept }: Kept): Promise<readonly string[]> =>
  readdir(join(kept, "../at/1")).catch(() => []);

describe("what a log came to at an earlier moment", () => {
  it("is what its events up to there come to, whether or not it was ever asked", async () => {
    const kept = await createLong();
    const expected = await foldedAt(kept, ...ENDS.map((end) => (digest: Digest) => isWhole(digest, end)));
    for (const [n, end] of ENDS.entries())
      for (const _ of ["first", "again"]) expect(await kept.reader.digest("1", end)).toEqual(expected[n]);
    expect((await filesOf(kept)).length).toBeGreaterThan(8);
  });

  it("is found by reading a small part of the log once it was gone through", async () => {
    const kept = await createLong();
    await kept.reader.digest("1", { seq: 3_800 });
    const files = await filesOf(kept);
    // Nobody but a checkpoint that was kept can say this.
    for (const file of files) if (!file.startsWith("2048-")) await rm(join(kept.kept, "../at/1", file));
    const { ledger } = await kept.reader.digest("1", { seq: 2_100 });
    expect(ledger.last).toBe(2_100);
    expect(await filesOf(kept)).toEqual(files.filter((file) => file.startsWith("2048-")));
  });

  it.each<[string, (kept: Kept, folder: string, files: readonly string[]) => Promise<unknown>]>([
    ["where all that was kept is gone", (_, folder) => rm(folder, { recursive: true })],
    [
      "where it is torn",
      (_, folder, files) => Promise.all(files.map((file) => truncate(join(folder, file), 90))),
    ],
    [
      "where it is empty",
      (_, folder, files) => Promise.all(files.map((file) => writeFile(join(folder, file), ""))),
    ],
    [
      "where one bit of it is another",
      (_, folder, files) => Promise.all(files.map((file) => flip(join(folder, file)))),
    ],
    [
      "where folders stand in its place",
      async (_, folder, files) => {
        for (const file of files) {
          await rm(join(folder, file));
          await mkdir(join(folder, file));
        }
      },
    ],
    ["where the newest digest is gone", ({ kept }) => rm(kept)],
    ["where the log began anew and is as long", (kept) => kept.write(1_904, "anew", taken(4))],
    ["where the log is damaged", async (kept) => flip(await kept.pathOf(0))],
    [
      "where it has grown since",
      (kept) => kept.write(400, "goes on", { kind: "branch", to: 3_000 } as NewEvent),
    ],
  ])("is the same %s", async (_, change) => {
    const kept = await createLong();
    await kept.reader.digest("1", { seq: 3_700 });
    const files = await filesOf(kept);
    expect(files.length).toBeGreaterThan(8);
    await change(kept, join(kept.kept, "../at/1"), files);
    const seqs = [300, 3_000];
    const expected = await foldedAt(
      kept,
      ...seqs.map(
        (seq) =>
          ({ ledger }: Digest) =>
            ledger.last <= seq,
      ),
    );
    for (const [n, seq] of seqs.entries())
      expect(await kept.reader.digest("1", { seq })).toEqual(expected[n]);
  });

  it("keeps nothing of a reading that counts no more", async () => {
    const kept = await createLong();
    await kept.reader.digest("1", { seq: 3_700 });
    const before = await filesOf(kept);
    await kept.write(600, "anew");
    await kept.reader.digest("1", { seq: 700 });
    const after = await filesOf(kept);
    expect(after).toHaveLength(2);
    expect(after.filter((file) => before.includes(file))).toEqual([]);
  });
});

async function flip(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(path, bytes);
}
