import { appendFile, mkdir, readFile, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { createDisk, type Disk } from "../../../../src/base/files/disk.ts";
import { readSegments } from "../../../../src/storage/files/journal/segments.ts";
import { toLine } from "../../../../src/storage/folder/line.ts";
import { createTempProject } from "../../../temp-project.ts";
import { byHand } from "../../../world.ts";
import { reopenJournal, say, textsIn } from "../open-journal.ts";
import { watchDisk } from "../watched-disk.ts";

let root: string;
let folder: string;
let disk: Disk;

beforeEach(async () => {
  root = await createTempProject();
  folder = join(root, "log");
  disk = createDisk(join(root, "tmp"));
});

const bytesOf = (name: string): Promise<Buffer> => readFile(join(folder, name));
const names = (): Promise<string[]> => readdir(folder).then((found) => found.sort());
let copies = 0;
/** A copy of the folder with one file replaced. */
async function withFile(name: string, bytes: Buffer): Promise<string> {
  const copy = join(root, `copy-${copies++}`);
  await mkdir(copy);
  for (const other of await names())
    await writeFile(join(copy, other), other === name ? bytes : await bytesOf(other));
  return copy;
}

describe("a journal that was torn", () => {
  it("keeps every whole record and goes on behind them, wherever the last segment was cut (J2)", async () => {
    const { journal } = await reopenJournal({ folder, disk });
    await say(journal, "one", "zwei: ä😀");
    await journal.close();
    const [name] = await names();
    const whole = await bytesOf(name!);
    const ends = [...whole.entries()].filter(([, byte]) => byte === 10).map(([index]) => index);
    for (let cut = 0; cut <= whole.length; cut++) {
      await writeFile(join(folder, name!), whole.subarray(0, cut));
      const {
        journal: next,
        records,
        damages,
      } = await reopenJournal({
        folder,
        disk,
        epoch: 2,
        durability: "process",
      });
      // A record is whole with its last byte, newline or not.
      expect(records).toHaveLength(ends.filter((end) => end <= cut).length);
      expect(damages).toEqual([]);
      await say(next, "on");
      await next.close();
      expect((await textsIn(folder, disk)).at(-1)).toBe("on");
      expect(await bytesOf(name!)).toEqual(whole.subarray(0, cut));
      const again = await reopenJournal({ folder, disk, durability: "process" });
      expect(again.records.map(({ seq }) => seq)).toEqual(again.records.map((_, index) => index + 1));
      await rm(join(folder, "00000002-000.jsonl"));
    }
  });

  it("loses at most the record in which a bit changed, and never invents one (J3)", async () => {
    const { journal } = await reopenJournal({ folder, disk, maxPartBytes: 500 });
    await say(journal, ...Array.from({ length: 12 }, (_, n) => `text ${n}`));
    await journal.close();
    const { records } = await reopenJournal({ folder, disk });
    const files = await names();
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.nat({ max: 7 }), async (file, at, bit) => {
        const name = files[file % files.length]!;
        const bytes = await bytesOf(name);
        bytes[at % bytes.length]! ^= 1 << bit;
        const copy = await withFile(name, bytes);
        const found = (await reopenJournal({ folder: copy, disk, durability: "process" })).records;
        expect(found.length).toBeGreaterThanOrEqual(records.length - 1);
        for (const record of found) expect(records).toContainEqual(record);
      }),
      { numRuns: 200 },
    );
  });

  it("loses only what a hole of zeros touches (J3)", async () => {
    const { journal } = await reopenJournal({ folder, disk });
    await say(journal, ...Array.from({ length: 12 }, (_, n) => `text ${n}`));
    await journal.close();
    const [name] = await names();
    const whole = await bytesOf(name!);
    const { records } = await reopenJournal({ folder, disk });
    const lines = records.map((record) => {
      const start = whole.indexOf(`{"seq":${record.seq},`);
      return { record, start, end: whole.indexOf(10, start) };
    });
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: whole.length - 1 }),
        fc.integer({ min: 1, max: 400 }),
        async (from, size) => {
          const copy = await withFile(
            name!,
            Buffer.from(whole).fill(0, from, Math.min(from + size, whole.length)),
          );
          const found = (await reopenJournal({ folder: copy, disk, durability: "process" })).records;
          const untouched = lines.filter(({ start, end }) => end <= from || start >= from + size);
          expect(found).toEqual(untouched.map(({ record }) => record));
        },
      ),
      { numRuns: 200 },
    );
  });

  it("is read from any record on as if it were read whole, whatever bytes of it changed (J3)", async () => {
    const { journal } = await reopenJournal({ folder, disk });
    // The first of them are longer than what is read of an end at first.
    await say(journal, ...Array.from({ length: 30 }, (_, n) => "text ".repeat(n < 5 ? 8_000 : n % 7)));
    await journal.close();
    const [name] = await names();
    const whole = await bytesOf(name!);
    const seqsIn = async (place: string, from: number): Promise<readonly number[]> => {
      const found: number[] = [];
      for await (const { records } of readSegments(place, disk, from))
        found.push(...records.map(({ seq }) => seq).filter((seq) => seq >= from));
      return found;
    };
    const change = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 6 }),
        fc.integer({ min: 2, max: 40 }),
        async (all, from) => {
          const bytes = Buffer.from(whole);
          for (const { at, byte } of all) bytes[at] = byte;
          const place = await withFile(name!, bytes);
          const read = await seqsIn(place, 1);
          expect(await seqsIn(place, from)).toEqual(read.filter((seq) => seq >= from));
          const last = read.at(-1);
          for await (const { records } of readSegments(place, disk, Number.MAX_SAFE_INTEGER))
            expect(records.at(-1)?.seq).toBe(last);
          await rm(place, { recursive: true });
        },
      ),
      { numRuns: 300 },
    );
  });

  it("refuses a segment of a newer format and touches nothing", async () => {
    const { journal } = await reopenJournal({ folder, disk });
    await say(journal, "a");
    await journal.close();
    const opened = { seq: 3, epoch: 2, at: "", kind: "opened", format: 2, seals: {} };
    await writeFile(join(folder, "00000002-000.jsonl"), toLine(opened));
    const before = await Promise.all((await names()).map(bytesOf));
    await expect(reopenJournal({ folder, disk })).rejects.toMatchObject({ code: "DAMAGED" });
    expect(await Promise.all((await names()).map(bytesOf))).toEqual(before);
  });

  it("reads over files that are no segments", async () => {
    const { journal } = await reopenJournal({ folder, disk });
    await say(journal, "a");
    for (const name of ["notes.txt", "00000009-0000.jsonl", "1-0.jsonl", "00000001-000.jsonl.bak"])
      await writeFile(join(folder, name), "anything\n");
    expect(await textsIn(folder, disk)).toEqual(["a"]);
  });
});

describe("a journal that was taken over from a writer that lives on", () => {
  const plan = fc.record({
    acknowledged: fc.nat({ max: 4 }),
    underWay: fc.nat({ max: 3 }),
    late: fc.nat({ max: 4 }),
    next: fc.integer({ min: 1, max: 4 }),
    maxPartBytes: fc.constantFrom(1, 400, 10_000),
    flushEnds: fc.constantFrom("before reading", "after reading", "after writing"),
  });

  it("has every record that either acknowledged, once, and none that came too late (J1, J2)", async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ acknowledged, underWay, late, next, maxPartBytes, flushEnds }) => {
        await rm(folder, { recursive: true, force: true });
        const flush = byHand();
        let holding = false;
        let owner = 1;
        const slow = watchDisk(disk, ({ op }) => (op === "sync" && holding ? flush.promise : undefined));
        const held = () => owner === 1;
        const { journal: old } = await reopenJournal({ folder, disk: slow, held, maxPartBytes });
        const kept: string[] = [];
        const write = async (text: string): Promise<void> => {
          await say(old, text);
          kept.push(text);
        };
        for (let n = 0; n < acknowledged; n++) await write(`old ${n}`);
        holding = true;
        const open = Array.from({ length: underWay }, (_, n) =>
          write(`under way ${n}`).catch(() => undefined),
        );

        owner = 2;
        if (flushEnds === "before reading") flush.resolve();
        const { journal: heir } = await reopenJournal({ folder, disk, epoch: 2, maxPartBytes });
        if (flushEnds === "after reading") flush.resolve();
        const texts = Array.from({ length: next }, (_, n) => `new ${n}`);
        await say(heir, texts[0]!);
        for (let n = 0; n < late; n++) open.push(write(`late ${n}`).catch(() => undefined));
        flush.resolve();
        await Promise.all(open);
        await say(heir, ...texts.slice(1));

        const { records } = await reopenJournal({ folder, disk, epoch: 3 });
        expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
        const found = records.filter(({ kind }) => kind === "said").map(({ text }) => text);
        expect(found).toEqual(expect.arrayContaining([...kept, ...texts]));
        expect(found.filter((text) => String(text).startsWith("late"))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("does not count what the old writer adds to a segment that is sealed (J2)", async () => {
    const { journal: old } = await reopenJournal({ folder, disk });
    await say(old, "a");
    const { journal: heir } = await reopenJournal({ folder, disk, epoch: 2 });
    await say(heir, "b");
    const [first] = await names();
    const sealed = (await bytesOf(first!)).length;
    await say(old, "zombie", "zombie");
    expect((await bytesOf(first!)).length).toBeGreaterThan(sealed);
    expect(await textsIn(folder, disk)).toEqual(["a", "b"]);
    await truncate(join(folder, first!), sealed);
    await appendFile(join(folder, first!), "what is left of a write\n");
    expect((await reopenJournal({ folder, disk, epoch: 3 })).damages).toEqual([]);
  });
});

describe("a writer that was taken over", () => {
  const line = (epoch: number, seq: number, record: object): string =>
    toLine({ seq, epoch, at: "", ...record });
  const opened = (seals: object): object => ({ kind: "opened", format: 1, seals });

  it("adds nothing with a segment that it begins afterwards, and takes nothing away (J1)", async () => {
    await mkdir(folder);
    const old = line(1, 1, opened({})) + line(1, 2, { kind: "said", text: "a" });
    // Written by the old one, counted by the new one, though the old one never knew that it was durable.
    const pending = line(1, 3, { kind: "said", text: "b" });
    await writeFile(join(folder, "00000001-000.jsonl"), old + pending);
    const seals = { "00000001-000.jsonl": old.length + pending.length };
    const taken = line(2, 4, opened(seals)) + line(2, 5, { kind: "said", text: "c" });
    await writeFile(join(folder, "00000002-000.jsonl"), taken);
    const late =
      line(1, 3, opened({ "00000001-000.jsonl": old.length })) + line(1, 4, { kind: "said", text: "z" });
    await writeFile(join(folder, "00000001-001.jsonl"), late);
    expect(await textsIn(folder, disk)).toEqual(["a", "b", "c"]);
  });
});
