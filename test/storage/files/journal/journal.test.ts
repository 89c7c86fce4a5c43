import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createDisk, type Disk } from "../../../../src/base/files/disk.ts";
import { openJournal } from "../../../../src/storage/files/journal/journal.ts";
import { readSegments } from "../../../../src/storage/files/journal/segments.ts";
import { createTempProject } from "../../../temp-project.ts";
import { byHand } from "../../../world.ts";
import { reopenJournal, WRITER, say, textsIn } from "../open-journal.ts";
import { failFrom, watchDisk, type DiskCall } from "../watched-disk.ts";

let root: string;
let folder: string;
let disk: Disk;

beforeEach(async () => {
  root = await createTempProject();
  folder = join(root, "log");
  disk = createDisk(join(root, "tmp"));
});

const names = (): Promise<string[]> => readdir(folder).then((found) => found.sort());
describe("a journal", () => {
  it("creates no file before the first record", async () => {
    const { journal } = await reopenJournal({ folder, disk });
    expect(journal.write([])).toEqual([]);
    await journal.commit();
    await journal.close();
    expect(await disk.list(root)).toEqual([]);
  });

  it("numbers records 1, 2, 3... across parts and processes, openings included", async () => {
    for (const epoch of [1, 2, 5]) {
      const { journal } = await reopenJournal({ folder, disk, epoch, maxPartBytes: 300 });
      for (let n = 0; n < 7; n++) await say(journal, `${epoch}.${n}`);
      await journal.close();
    }
    const { records } = await reopenJournal({ folder, disk });
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
    expect(await textsIn(folder, disk)).toEqual(
      [1, 2, 5].flatMap((epoch) => Array.from({ length: 7 }, (_, n) => `${epoch}.${n}`)),
    );
  });

  it("acknowledges after the write, the flush and a look at the lock, in this order (J1)", async () => {
    const steps: string[] = [];
    const watched = watchDisk(disk, ({ op }) => void steps.push(op));
    const held = () => steps.push("held") > 0;
    const { journal } = await reopenJournal({ folder, disk: watched, held });
    journal.write([{ kind: "said" }]);
    await journal.commit();
    steps.push("acknowledged");
    expect(steps.slice(steps.indexOf("create"))).toEqual(["create", "write", "sync", "held", "acknowledged"]);
  });

  it("flushes nothing where it promises no more than the operating system does (J1)", async () => {
    const calls: DiskCall[] = [];
    const { journal } = await reopenJournal({
      folder,
      disk: watchDisk(disk, (call) => void calls.push(call)),
      durability: "process",
    });
    await say(journal, "a", "b");
    expect(calls.filter(({ op }) => op === "sync")).toEqual([]);
    expect(await textsIn(folder, disk)).toEqual(["a", "b"]);
  });

  it("acknowledges nothing once the lock is another's, and is dead then (J1)", async () => {
    let held = true;
    const { journal } = await reopenJournal({ folder, disk, held: () => held });
    await say(journal, "mine");
    held = false;
    journal.write([{ kind: "said", text: "too late" }]);
    await expect(journal.commit()).rejects.toMatchObject({ code: "STORAGE" });
    held = true;
    await expect(journal.commit()).rejects.toMatchObject({ code: "STORAGE" });
    expect(() => journal.write([{ kind: "said" }])).toThrow(expect.objectContaining({ code: "STORAGE" }));
  });

  it("shares one flush among all commits that wait for it (J4)", async () => {
    const first = byHand();
    let syncs = 0;
    const watched = watchDisk(disk, ({ op }) => {
      if (op === "sync" && ++syncs === 1) return first.promise;
    });
    const { journal } = await reopenJournal({ folder, disk: watched });
    const acknowledged: number[] = [];
    const commits = Array.from({ length: 100 }, async (_, n) => {
      journal.write([{ kind: "said", text: String(n) }]);
      await journal.commit();
      acknowledged.push(n);
    });
    first.resolve();
    await Promise.all(commits);
    // The first flush covered what was written before it began; the second one everything else.
    expect(syncs).toBe(2);
    expect(acknowledged).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });

  it("begins a new part past the limit, also while a flush of the old one is under way", async () => {
    const first = byHand();
    const synced: string[] = [];
    const watched = watchDisk(disk, ({ op, path }) => {
      if (op === "sync" && synced.push(path) === 1) return first.promise;
    });
    const { journal } = await reopenJournal({ folder, disk: watched, maxPartBytes: 400 });
    const texts = Array.from({ length: 20 }, (_, n) => `text ${n}`);
    const commits = texts.map((text) => say(journal, text));
    expect((await names()).length).toBeGreaterThan(2);
    first.resolve();
    await Promise.all(commits);
    await journal.close();
    expect(new Set(synced)).toEqual(new Set((await names()).map((name) => join(folder, name))));
    expect(await textsIn(folder, disk)).toEqual(texts);
  });

  it("keeps its parts in order past the thousandth", async () => {
    const { journal } = await reopenJournal({ folder, disk, maxPartBytes: 1, durability: "process" });
    const texts = Array.from({ length: 1_003 }, (_, n) => String(n));
    await say(journal, ...texts);
    await journal.close();
    expect(await textsIn(folder, disk)).toEqual(texts);
  });

  it("does not die of a value that JSON cannot hold, and writes nothing of it", async () => {
    const { journal } = await reopenJournal({ folder, disk });
    await say(journal, "before");
    const written = ["half", 1n].map((text) => ({ kind: "said", text }));
    expect(() => journal.write(written)).toThrow(TypeError);
    await say(journal, "after");
    expect(await textsIn(folder, disk)).toEqual(["before", "after"]);
  });

  it("can be opened twice by the process that holds the lock", async () => {
    for (const text of ["a", "b", "c"]) {
      const { journal } = await reopenJournal({ folder, disk, epoch: 3 });
      await say(journal, text);
      await journal.close();
    }
    expect(await names()).toEqual(["00000003-000.jsonl", "00000003-001.jsonl", "00000003-002.jsonl"]);
    expect(await textsIn(folder, disk)).toEqual(["a", "b", "c"]);
  });

  it("goes on behind what is there when the numbers of the lock begin again", async () => {
    for (const [epoch, text] of [
      [7, "a"],
      [1, "b"],
      [2, "c"],
    ] as const) {
      const { journal } = await reopenJournal({ folder, disk, epoch });
      await say(journal, text);
      await journal.close();
    }
    expect(await textsIn(folder, disk)).toEqual(["a", "b", "c"]);
  });

  it("refuses every write once it is closed", async () => {
    const { journal } = await reopenJournal({ folder, disk });
    journal.write([{ kind: "said", text: "written, not committed" }]);
    await journal.close();
    expect(() => journal.write([{ kind: "said", text: "late" }])).toThrow("closed");
    expect(await textsIn(folder, disk)).toEqual(["written, not committed"]);
  });
});

describe("a journal on a disk that fails", () => {
  const texts = Array.from({ length: 8 }, (_, n) => `text ${n}`);

  /** Runs until the `n`-th change fails; returns what was acknowledged. */
  async function runUntil(n: number): Promise<{ acknowledged: string[]; failed: boolean }> {
    const acknowledged: string[] = [];
    try {
      const { journal } = await reopenJournal({
        folder,
        disk: watchDisk(disk, failFrom(n)),
        maxPartBytes: 300,
      });
      for (const text of texts) {
        await say(journal, text);
        acknowledged.push(text);
      }
      await journal.close();
      return { acknowledged, failed: false };
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/STORAGE|ENOSPC/) as unknown });
      return { acknowledged, failed: true };
    }
  }

  it("has everything that was acknowledged when it is opened again, whichever call fails (J1)", async () => {
    for (let n = 1; ; n++) {
      await rm(folder, { recursive: true, force: true });
      const { acknowledged, failed } = await runUntil(n);
      const { journal } = await reopenJournal({ folder, disk, epoch: 2 });
      await say(journal, "after");
      const found = await textsIn(folder, disk);
      expect(found.slice(0, acknowledged.length)).toEqual(acknowledged);
      expect(found.slice(acknowledged.length).length).toBeLessThanOrEqual(2);
      expect(found.at(-1)).toBe("after");
      await journal.close();
      if (!failed) break;
      expect(n).toBeLessThan(100);
    }
  });

  it("rejects, is dead, and tries no flush a second time (J1)", async () => {
    let syncs = 0;
    const failing = watchDisk(disk, ({ op }) => {
      if (op === "sync" && ++syncs === 2) throw new Error("EIO");
    });
    const { journal } = await reopenJournal({ folder, disk: failing });
    await say(journal, "kept");
    journal.write([{ kind: "said", text: "lost" }]);
    const waiting = [journal.commit(), journal.commit()];
    for (const result of await Promise.allSettled(waiting)) expect(result.status).toBe("rejected");
    await expect(journal.commit()).rejects.toMatchObject({ code: "STORAGE" });
    await journal.close();
    expect(syncs).toBe(2);
  });

  it("is replaced by one that goes on behind what it acknowledged, and hides the rest (J2)", async () => {
    let broken = false;
    const failing = watchDisk(disk, ({ op }) => {
      if (op === "sync" && broken) throw new Error("EIO");
    });
    const { journal } = await reopenJournal({ folder, disk: failing });
    await say(journal, "a", "b");
    broken = true;
    await expect(say(journal, "never acknowledged")).rejects.toMatchObject({ code: "STORAGE" });
    broken = false;
    const start = await journal.acknowledged();
    const next = openJournal({ ...WRITER, folder, disk }, start);
    await say(next, "c");
    expect(await textsIn(folder, disk)).toEqual(["a", "b", "c"]);
  });

  it("counts what a flush still covers that was under way when a write failed (J1)", async () => {
    const flush = byHand();
    let full = false;
    const failing = watchDisk(disk, ({ op }) => {
      if (op === "write" && full) throw new Error("ENOSPC");
      return op === "sync" ? flush.promise : undefined;
    });
    const { journal } = await reopenJournal({ folder, disk: failing });
    const first = say(journal, "under way");
    full = true;
    expect(() => journal.write([{ kind: "said" }])).toThrow("ENOSPC");
    const start = journal.acknowledged();
    flush.resolve();
    await first;
    expect((await start).last).toBe(2);
  });

  it("leaves no empty parts behind while the disk stays full", async () => {
    const { journal } = await reopenJournal({ folder, disk });
    await say(journal, "a");
    const full = watchDisk(disk, ({ op }) => {
      if (op === "write") throw new Error("ENOSPC");
    });
    let dead = journal;
    for (let attempt = 0; attempt < 3; attempt++) {
      dead = openJournal({ ...WRITER, folder, disk: full, maxPartBytes: 1 }, await dead.acknowledged());
      expect(() => dead.write([{ kind: "said" }])).toThrow();
    }
    await dead.acknowledged();
    expect(await names()).toEqual(["00000001-000.jsonl"]);
  });
});

describe("dropping what was read", () => {
  it("removes the segments that hold nothing newer, oldest first, and the last one after closing", async () => {
    const removed: string[] = [];
    const watched = watchDisk(disk, ({ op, path }) => void (op === "remove" && removed.push(path)));
    const { journal } = await reopenJournal({ folder, disk: watched, maxPartBytes: 1 });
    await say(journal, "a", "b", "c");
    const all = await names();
    await journal.dropThrough(4);
    expect(await names()).toEqual(all.slice(2));
    await journal.dropThrough(journal.last);
    expect(await names()).toEqual(all.slice(2));
    await journal.close();
    await journal.dropThrough(journal.last);
    expect(await names()).toEqual([]);
    expect(removed).toEqual(all.map((name) => join(folder, name)));
  });

  it("never removes a segment with something newer in it", async () => {
    const { journal } = await reopenJournal({ folder, disk, maxPartBytes: 300 });
    await say(journal, ...Array.from({ length: 9 }, (_, n) => String(n)));
    for (let seq = 0; seq <= journal.last; seq++) {
      await journal.dropThrough(seq);
      const kept: number[] = [];
      for await (const { records } of readSegments(folder, disk))
        kept.push(...records.map((record) => record.seq));
      for (let later = seq + 1; later <= journal.last; later++) expect(kept).toContain(later);
    }
  });
});
