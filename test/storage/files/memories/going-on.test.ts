// Who opens a memory next goes on where it was closed; who was taken over and does not know it yet spoils nothing.

import { appendFile, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createDisk } from "../../../../src/base/files/disk.ts";
import type { NewMemoryEvent } from "../../../../src/domain/memory/record.ts";
import { openMemory, type OpenedMemory } from "../../../../src/storage/files/memories/opened.ts";
import { toLine } from "../../../../src/storage/folder/line.ts";
import { takeLock, type Lock } from "../../../../src/storage/folder/lock.ts";
import { authorshipOf } from "../../../../src/storage/folder/person/authorship.ts";
import { openPersonFolder } from "../../../../src/storage/folder/person/folder.ts";
import { numbers } from "../../../mail/letter.ts";
import { entry, ID } from "../../contract/memory/memory-letters.ts";
import { filePlace, said, type FilePlace } from "./file-place.ts";

let place: FilePlace;

beforeEach(async () => {
  place = await filePlace();
});

const send = (n: number): Promise<unknown> => place.visit((memories) => memories.receive(ID, entry(n)));
const entries = async (): Promise<readonly string[]> => said(await place.events());

describe("a memory that is visited again and again", () => {
  it("has one segment and one file of texts after three hundred visits", async () => {
    for (const n of numbers(300)) await send(n);
    expect(await readdir(place.paths.log)).toEqual(["00000001-000.jsonl"]);
    expect(await readdir(place.paths.texts)).toHaveLength(1);
    expect(await entries()).toEqual(numbers(300).map((n) => `x ${n}`));
    expect((await place.events()).map(({ seq }) => seq)).toEqual(numbers(301));
  });

  it("writes nothing into a segment that did not end as it should", async () => {
    await send(1);
    const [name] = await readdir(place.paths.log);
    const path = join(place.paths.log, name!);
    await appendFile(path, '{"torn');
    const torn = await readFile(path);
    // Twice: the first one has nothing to write.
    await send(1);
    await send(2);
    expect(await readFile(path)).toEqual(torn);
    expect(await entries()).toEqual(["x 1", "x 2"]);
    expect((await place.events()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it("does not go on in an empty segment, which nobody could tell from whose it is", async () => {
    await send(1);
    await writeFile(join(place.paths.log, "00000009-000.jsonl"), "");
    await send(1);
    await send(2);
    expect(await entries()).toEqual(["x 1", "x 2"]);
    for (const name of await readdir(place.paths.log)) {
      const { size } = await stat(join(place.paths.log, name));
      if (size > 0) expect(await readFile(join(place.paths.log, name), "utf8")).toMatch(/^\{[^\n]*"opened"/);
    }
  });

  it("counts what a writer that had closed it added, and goes on in another segment", async () => {
    await send(1);
    const [name] = await readdir(place.paths.log);
    const path = join(place.paths.log, name!);
    const late = { seq: 3, epoch: 1, at: "2026-01-01T00:00:00.000Z", kind: "kept", by: "late" };
    await appendFile(path, toLine(late));
    await send(2);
    await appendFile(path, toLine({ ...late, seq: 4, by: "later" }));
    await appendFile(path, toLine({ ...late, seq: 6, by: "latest" }));
    await send(3);
    expect(await entries()).toEqual(["x 1", "x 2", "x 3"]);
    const standing = await (await place.open()).read(ID).standing();
    expect(standing).toMatchObject({ keeper: "late", entries: 3 });
    expect(await readdir(place.paths.log)).toHaveLength(2);
  });
});

describe("a memory whose lock was taken over from a process that goes on", () => {
  const event = (raw: string): NewMemoryEvent => ({
    ...{ kind: "entry", mail: 0, from: "l", by: "a", raw, summary: "", role: "user", speaker: "a" },
    ...{ thread: "t", said: "2026-01-01T00:00:00.000Z", tags: {}, summarised: "rules" },
  });

  async function openWith(lock: Lock): Promise<OpenedMemory> {
    const disk = createDisk(place.paths.tmp, place.project);
    const authorship = await authorshipOf(openPersonFolder(process.env));
    return openMemory({
      ...{ id: ID, paths: place.paths, disk, durability: "process", clock: Date, lock, authorship },
    });
  }

  /** Two that have it open at once, where it was closed: as after a pause of the first in another container. */
  async function openTwice() {
    await send(1);
    const disk = createDisk(place.paths.tmp, place.project);
    const lock = await takeLock(place.paths.lock, disk, { role: "command", waitMs: 0 });
    const before = await openWith(lock);
    await writeFile(join(place.paths.lock, String(lock.epoch)), "{}");
    const newer = await takeLock(place.paths.lock, disk, { role: "command", waitMs: 0 });
    const after = await openWith(newer);
    const letGo = async (): Promise<void> => {
      for (const each of [before, after]) await each.close();
      for (const each of [lock, newer]) await each.release();
    };
    return { before, after, letGo };
  }

  const attempts: Readonly<Record<string, (before: OpenedMemory, after: OpenedMemory) => Promise<void>>> = {
    "writes first": async (before, after) => {
      await expect(before.add([event("zombie")])).rejects.toMatchObject({ code: "STORAGE" });
      await add(after, "one");
      await add(after, "two");
    },
    "writes more, in between": async (before, after) => {
      await add(after, "one");
      await expect(before.add([event("zombie"), event("zombie")])).rejects.toMatchObject({ code: "STORAGE" });
      await add(after, "two");
    },
    "writes at the same time": async (before, after) => {
      await Promise.all([
        expect(before.add(numbers(20).map(() => event("zombie")))).rejects.toMatchObject({ code: "STORAGE" }),
        add(after, "one"),
      ]);
      await add(after, "two");
    },
  };

  /** As the mail does: what was not accepted is offered again. */
  async function add(memory: OpenedMemory, text: string): Promise<void> {
    for (;;) {
      if (memory.isBroken) await memory.mend();
      const isThere = await memory.add([event(text)]).then(
        () => true,
        () => false,
      );
      if (isThere) return;
    }
  }

  it.each(Object.keys(attempts))(
    "loses nothing that was acknowledged where that one %s (M5)",
    async (when) => {
      const { before, after, letGo } = await openTwice();
      await attempts[when]!(before, after);
      await expect(before.mend()).rejects.toMatchObject({ code: "STORAGE" });
      await letGo();
      const found = (await entries()).filter((text) => text !== "zombie");
      expect(found).toEqual(["x 1", "one", "two"]);
      await send(2);
      expect((await entries()).filter((text) => text !== "zombie")).toEqual(["x 1", "one", "two", "x 2"]);
      expect((await entries()).filter((text) => text === "")).toEqual([]);
    },
  );
});
