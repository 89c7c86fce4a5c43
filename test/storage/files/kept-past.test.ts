import {
  cp,
  lstat,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createDisk } from "../../../src/base/files/disk.ts";
import { findKept } from "../../../src/storage/files/journal/kept.ts";
import { pastFile, removePast } from "../../../src/storage/folder/cache/past-file.ts";
import { toLine } from "../../../src/storage/folder/line.ts";
import { openPersonFolder } from "../../../src/storage/folder/person/folder.ts";
import { authorshipOf } from "../../../src/storage/folder/person/authorship.ts";
import { FORGET, KEEP } from "../../domain/event/event-lines.ts";
import { ownHand } from "../../own-hand.ts";
import { createTempProject } from "../../temp-project.ts";
import { watchDisk } from "./watched-disk.ts";
import { createKeptPast, FORGED, STEPS, type Kept } from "./kept-past.ts";

async function stranger() {
  return authorshipOf(openPersonFolder({ XDG_CONFIG_HOME: await createTempProject() }));
}

async function flip(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(path, bytes);
}

describe("a past that is kept beside its log is gone on from (L9)", () => {
  it("where nothing came since, and where more came, also from other processes", async () => {
    const place = await createKeptPast();
    expect(await place.steps()).toBe(STEPS);
    await place.forge();
    expect(await place.steps()).toBe(FORGED);
    await place.write(3);
    expect(await place.steps()).toBe(FORGED + 3);
    await place.write(200);
    expect(await place.steps()).toBe(FORGED + 203);
  });

  it("where its files were copied, or touched", async () => {
    const place = await createKeptPast();
    await place.forge();
    await utimes(await place.pathOf(0), 1, 1);
    expect(await place.steps()).toBe(FORGED);
    await cp(place.folder, `${place.folder}x`, { recursive: true });
    await rm(place.folder, { recursive: true });
    await cp(`${place.folder}x`, place.folder, { recursive: true });
    expect(await place.steps()).toBe(FORGED);
  });

  it("by the same process, too, within what it had acknowledged", async () => {
    const place = await createKeptPast();
    const logs = await place.newLogs();
    await place.forge();
    const first = await place.open(KEEP, logs);
    await first.commit({ kind: "notice", reason: "paused", content: "" });
    await first.close();
    const again = await place.open(KEEP, logs);
    expect([again.ledger.spent.steps, again.conversation.halt?.reason]).toEqual([FORGED, "paused"]);
    await again.close();
  });

  it("of many parts, the first line of each of which is read once", async () => {
    const place = await createKeptPast();
    for (let n = 0; n < 5; n++) await place.write(1);
    await place.write(STEPS);
    await place.forge();
    const read: string[] = [];
    const disk = watchDisk(createDisk(place.paths.tmp), ({ op, path }) => {
      if (op === "read" && path.startsWith(place.folder)) read.push(path);
    });
    const memory = await place.open(KEEP, await place.newLogs(undefined, disk));
    expect(memory.ledger.spent.steps).toBe(FORGED);
    await memory.close();
    const names = await readdir(place.folder);
    expect(names).toHaveLength(7);
    // Once more for its sum: it was written too short a time ago for its mark to stand for it.
    expect(read.filter((path) => path.endsWith(names[1]!))).toHaveLength(2);
  });

  it("where it was kept while its agent worked: what a kill costs is what came since", async () => {
    const place = await createKeptPast(0);
    const memory = await place.open();
    const notice = { kind: "notice", reason: "resumed", content: "" } as const;
    await memory.commit(...Array.from({ length: 16_384 }, () => notice));
    await expect.poll(() => readdir(join(place.file, "..")).catch(() => [])).toEqual(["1"]);
    await memory.commit({ kind: "notice", reason: "paused", content: "" });
    await place.forge();
    const again = await place.open();
    expect([again.ledger.spent.steps, again.conversation.halt?.reason]).toEqual([FORGED, "paused"]);
  });

  it("and not kept at all of a short log", async () => {
    const { file } = await createKeptPast(20);
    await expect(lstat(file)).rejects.toThrow("ENOENT");
  });
});

describe("the whole log is read, and comes to the same,", () => {
  const other =
    (bytes: string) =>
    async ({ file }: Kept) =>
      writeFile(file, bytes);
  it.each<[string, (place: Kept) => Promise<unknown>]>([
    ["where what was kept is gone", ({ file }) => rm(file)],
    ["where it is torn", ({ file }) => truncate(file, 900)],
    ["where it is empty", other("")],
    ["where it is something else", other("x\n{}\n")],
    ["where one bit of it is another", ({ file }) => flip(file)],
    ["where somebody else signed it", async ({ forge }) => forge((past) => past, await stranger())],
    ["where another version kept it", ({ forge }) => forge((past) => ({ ...past, version: 0 }))],
    [
      "where it is a link to one that was kept",
      async ({ file }) => {
        await cp(file, `${file}.there`);
        await rm(file);
        await symlink(`${file}.there`, file);
      },
    ],
    ["where a folder stands in its place", async ({ file }) => (await rm(file), mkdir(file))],
    ["where the end of the log is gone", async ({ pathOf }) => truncate(await pathOf(-1), 60_000)],
    [
      "where that is gone, and it has grown since",
      async ({ pathOf, open }) => {
        await truncate(await pathOf(-1), 60_000);
        const memory = await open(FORGET);
        await memory.commit(...Array.from({ length: 100 }, () => ({ kind: "sent", upTo: 0 }) as const));
        await memory.close();
      },
    ],
    [
      "where an older part was cut",
      ({ pathOf, write }) => write(3).then(async () => truncate(await pathOf(0), 60_000)),
    ],
    [
      "where an older part is another one",
      async ({ pathOf, write }) => {
        await write(3);
        const path = await pathOf(0);
        await cp(path, `${path}.there`);
        await flip(`${path}.there`);
        await rename(`${path}.there`, path);
      },
    ],
    ["where the log is damaged", async ({ pathOf }) => flip(await pathOf(0))],
    [
      "where an older segment came to light",
      async ({ pathOf, folder }) => {
        await cp(await pathOf(0), join(folder, "00000000-001.jsonl"));
      },
    ],
    [
      "where a later segment seals it at fewer bytes",
      async ({ pathOf, folder }) => {
        const first = (await readFile(await pathOf(0), "utf8")).split("\n", 1)[0]!;
        const { crc: _, ...opening } = JSON.parse(first) as Record<string, unknown>;
        const [name] = await readdir(folder);
        const mac = (await ownHand()).sign(String(opening["log"]), 90);
        const line = toLine({ ...opening, mac, seq: 9_999, epoch: 90, seals: { [name!]: 60_000 } });
        await writeFile(join(folder, "00000090-000.jsonl"), line);
      },
    ],
    ["where the agent's folder is gone", ({ paths }) => rm(paths.agent("1"), { recursive: true })],
    ["where it went back to an earlier event since", ({ write }) => write(0, { kind: "branch", to: 20 })],
  ])("%s", async (where, change) => {
    const place = await createKeptPast();
    await place.forge();
    await change(place);
    const memory = await place.open();
    await memory.close();
    await rm(place.file, { recursive: true, force: true });
    const whole = await place.open();
    const [{ epoch: _e, log: _l, ...known }, { epoch: _f, log: _m, ...all }] = [memory.ledger, whole.ledger];
    // What a log adds up to is the same on every branch.
    if (!where.includes("went back")) expect(known).toEqual(all);
    expect(memory.conversation).toEqual(whole.conversation);
    expect([...memory.view.items]).toEqual([...whole.view.items]);
    await whole.close();
  });

  it("or, where a link stands in place of an older part, nothing is", async () => {
    const place = await createKeptPast();
    await place.write(3);
    const path = await place.pathOf(0);
    const there = join(place.paths.project, "there.jsonl");
    await rename(path, there);
    await symlink(there, path);
    await expect(place.open()).rejects.toMatchObject({ code: "STORAGE" });
  });

  it("where it knows more than this process acknowledged", async () => {
    const { file, paths, folder } = await createKeptPast();
    const place = { log: folder, disk: createDisk(paths.tmp) };
    const kept = pastFile(paths, "1", await ownHand());
    const { last, segments } = (await findKept(kept, place))!;
    expect(await findKept(kept, place, { last, segments })).toBeDefined();
    const fewer = segments.map((segment) => ({ ...segment, bytes: segment.bytes - 1 }));
    expect(await findKept(kept, place, { last, segments: fewer })).toBeUndefined();
    expect(await findKept(kept, place, { last: last - 1, segments })).toBeUndefined();
    expect((await lstat(file)).isFile()).toBe(true);
  });

  it("and nothing is kept of one that is damaged", async () => {
    const { file, pathOf, write } = await createKeptPast();
    await flip(await pathOf(0));
    await rm(file);
    await write(STEPS);
    await expect(lstat(file)).rejects.toThrow("ENOENT");
  });

  it("where it is to be shown otherwise", async () => {
    const place = await createKeptPast();
    await place.forge();
    expect(await place.steps({ ...KEEP, window: 9_999 })).toBe(STEPS);
  });
});

describe("the file of a past", () => {
  it("is for nobody else to read, and replaces a link in its place", async () => {
    const place = await createKeptPast(0);
    const precious = join(place.paths.project, "precious.txt");
    await writeFile(precious, "precious");
    await mkdir(join(place.file, ".."), { recursive: true });
    await symlink(precious, place.file);
    await place.write(STEPS);
    const found = await lstat(place.file);
    expect([found.isFile(), found.mode & 0o777]).toEqual([true, 0o600]);
    expect(await readFile(precious, "utf8")).toBe("precious");
  });

  it("is not written where its folder is a link, or cannot be made; nobody notices", async () => {
    const place = await createKeptPast(0);
    const elsewhere = join(place.paths.project, "elsewhere");
    await mkdir(elsewhere);
    await mkdir(place.paths.root);
    await symlink(elsewhere, join(place.paths.root, "cache"));
    await place.write(STEPS);
    expect(await readdir(elsewhere, { recursive: true })).toEqual([]);
    const blocked = await createKeptPast(0);
    await mkdir(blocked.paths.root);
    await writeFile(join(blocked.paths.root, "cache"), "");
    await blocked.write(STEPS);
    expect(await blocked.steps()).toBe(STEPS);
  });

  it("goes with its agent", async () => {
    const { paths, file } = await createKeptPast();
    await removePast(paths, "1");
    await expect(lstat(file)).rejects.toThrow("ENOENT");
  });
});
