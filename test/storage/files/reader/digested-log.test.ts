import {
  chmod,
  cp,
  lstat,
  mkdir,
  readFile,
  readdir,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createDisk } from "../../../../src/base/files/disk.ts";
import type { NewEvent } from "../../../../src/domain/event/event.ts";
import { createDigest, type Digest } from "../../../../src/past/digest/digest.ts";
import { readDigest } from "../../../../src/storage/contract/digests/digests.ts";
import { createDigestedLog } from "../../../../src/storage/files/reader/digested-log.ts";
import type { FileReader } from "../../../../src/storage/files/reader/reader.ts";
import { digestFile, digestFolder } from "../../../../src/storage/folder/cache/digest-file.ts";
import { fromLine, toLine } from "../../../../src/storage/folder/line.ts";
import { createKept, FORGED, STEPS } from "./kept-log.ts";

const stepsOf = ({ ledger }: Digest): number => ledger.spent.steps;

async function wholeOf(reader: FileReader): Promise<Digest> {
  const fold = createDigest();
  for await (const event of reader.events("1")) fold.see(event);
  await fold.settle(() => reader.events("1"));
  return fold.digest;
}

/** Changes one character of a line in the middle of a file. */
async function damage(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[bytes.indexOf('"input"', bytes.length >> 1) + 2]! ^= 1;
  await writeFile(path, bytes);
}

describe("what is kept of a log is gone on from", () => {
  it("where nothing came since", async () => {
    const { digest, forge } = await createKept();
    expect(stepsOf(await digest())).toBe(STEPS);
    await forge();
    expect(stepsOf(await digest())).toBe(FORGED);
  });

  it("also of a short log, as most agents have: many of them are looked at at once", async () => {
    const { digest, forge } = await createKept(40);
    expect(stepsOf(await digest())).toBe(40);
    await forge();
    expect(stepsOf(await digest())).toBe(FORGED);
  });

  it("where more came since: a little, much, and from another process", async () => {
    const { digest, forge, write, segments } = await createKept();
    await forge();
    for (const [count, sum] of [
      [3, 3],
      [400, 403],
      [2, 405],
    ] as const) {
      await write(count);
      expect(stepsOf(await digest())).toBe(FORGED + sum);
    }
    expect(await segments()).toHaveLength(4);
  });

  it("where its files were copied, or touched", async () => {
    const { digest, forge, folder, pathOf } = await createKept();
    await forge();
    await utimes(await pathOf(0), 1, 1);
    expect(stepsOf(await digest())).toBe(FORGED);
    await cp(folder, `${folder}x`, { recursive: true });
    await rm(folder, { recursive: true });
    await cp(`${folder}x`, folder, { recursive: true });
    expect(stepsOf(await digest())).toBe(FORGED);
  });

  it("and where nobody touched them, nothing of them is read but how they begin", async () => {
    const { reader, digest, pathOf, folder, write } = await createKept();
    await write(1);
    for (const index of [0, 1]) await utimes(await pathOf(index), 1, 1);
    await digest();
    const read: (number | undefined)[] = [];
    const disk = createDisk(reader.paths.tmp);
    const watched = {
      ...disk,
      async read(path: string, ...part: [number?, number?]) {
        const bytes = await disk.read(path, ...part);
        read.push(bytes?.length);
        return bytes;
      },
    };
    const log = createDigestedLog({ folder, disk: watched });
    const place = digestFile(digestFolder(reader.paths), "1");
    expect(stepsOf(await readDigest({ log, place }))).toBe(STEPS + 1);
    expect(read).toHaveLength(1);
    expect(read[0]).toBeLessThanOrEqual(16_384);
  });
});

describe("a log is read from its beginning, and the answer is the same,", () => {
  it.each<[string, (place: Awaited<ReturnType<typeof createKept>>) => Promise<unknown>]>([
    ["where what was kept is gone", ({ kept }) => rm(kept)],
    ["where it is torn", ({ kept }) => truncate(kept, 500)],
    [
      "where half of it is gone",
      async ({ kept }) => writeFile(kept, (await readFile(kept, "utf8")).split("\n", 1)[0]!),
    ],
    [
      "where its rest is gone",
      async ({ kept }) => writeFile(kept, `${(await readFile(kept, "utf8")).split("\n", 1)[0]}\n`),
    ],
    ["where it is empty", ({ kept }) => writeFile(kept, "")],
    ["where one bit of it is another", ({ kept }) => flip(kept)],
    [
      "where another version wrote it",
      ({ kept }) => rewrite(kept, (said) => ({ ...said, head: { version: 0 } })),
    ],
    ["where it is bound to nothing", ({ kept }) => rewrite(kept, (said) => ({ ...said, binding: [] }))],
    ["where a folder stands in its place", async ({ kept }) => (await rm(kept), mkdir(kept))],
    [
      "where it is a link to one that was kept",
      async ({ kept }) => {
        await cp(kept, `${kept}.there`);
        await rm(kept);
        await symlink(`${kept}.there`, kept);
      },
    ],
    ["where the log began anew", ({ write }) => write(STEPS + 5, "anew")],
    ["where it began anew and is as long", ({ write }) => write(STEPS, "anew")],
    ["where its end is gone", async ({ pathOf }) => truncate(await pathOf(-1), 60_000)],
    [
      "where its end is gone and it has grown since",
      async ({ pathOf, write }) => {
        await truncate(await pathOf(-1), 60_000);
        await write(400);
      },
    ],
    ["where it is damaged", async ({ pathOf }) => damage(await pathOf(0))],
    [
      "where it is damaged and has grown since",
      async ({ pathOf, write }) => {
        await damage(await pathOf(0));
        await write(3);
      },
    ],
    [
      "where an older segment came to light",
      async ({ pathOf, folder }) => {
        await cp(await pathOf(0), join(folder, "log/00000000-001.jsonl"));
      },
    ],
    [
      "where somebody else wrote it",
      async ({ pathOf }) => {
        const path = await pathOf(0);
        const [first = "", ...rest] = (await readFile(path, "utf8")).split("\n");
        const { crc: _, ...opening } = JSON.parse(first) as Record<string, unknown>;
        await writeFile(path, [toLine({ ...opening, mac: "theirs" }).trimEnd(), ...rest].join("\n"));
      },
    ],
    ["where the agent's folder is gone", ({ folder }) => rm(folder, { recursive: true })],
  ])("%s", async (_, change) => {
    const place = await createKept();
    await place.forge();
    await change(place);
    const digest = await place.digest();
    const whole = await wholeOf(place.reader);
    expect(stepsOf(digest)).toBe(stepsOf(whole));
    expect(digest).toEqual(whole);
    expect(await place.digest()).toEqual(whole);
  });

  it("where it went back to an earlier event since", async () => {
    const parked: NewEvent = { kind: "notice", reason: "parked", content: "Enough." };
    const place = await createKept();
    await place.digest();
    await place.write(0, "goes on", parked);
    expect((await place.digest()).conversation.halt).toMatchObject({ reason: "parked" });
    await place.write(0, "goes on", { kind: "branch", to: 20 });
    const digest = await place.digest();
    expect(digest.conversation.halt).toBe(undefined);
    expect(digest).toEqual(await wholeOf(place.reader));
  });
});

async function flip(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(path, bytes);
}

async function rewrite(path: string, change: (said: object) => object): Promise<void> {
  const [first = "", rest = ""] = (await readFile(path, "utf8")).split("\n");
  await writeFile(path, `${toLine(change(fromLine<object>(Buffer.from(first))!))}${rest}\n`);
}

describe("what is kept", () => {
  it("is for nobody else to read, in a file of its own: a link in its place is replaced", async () => {
    const { digest, kept, project } = await createKept();
    const elsewhere = join(project, "precious.txt");
    await writeFile(elsewhere, "precious");
    await mkdir(join(kept, ".."), { recursive: true });
    await symlink(elsewhere, kept);
    await digest();
    const found = await lstat(kept);
    expect([found.isFile(), found.mode & 0o777]).toEqual([true, 0o600]);
    expect(await readFile(elsewhere, "utf8")).toBe("precious");
  });

  it("is nothing where its folder is a link, or cannot be made; nobody notices", async () => {
    const linked = await createKept();
    const elsewhere = join(linked.project, "elsewhere");
    await mkdir(elsewhere);
    await symlink(elsewhere, join(linked.kept, "../.."));
    expect(stepsOf(await linked.digest())).toBe(STEPS);
    expect(await readdir(elsewhere, { recursive: true })).toEqual([]);
    const blocked = await createKept();
    await writeFile(join(blocked.kept, "../.."), "");
    expect(stepsOf(await blocked.digest())).toBe(STEPS);
    const sealed = await createKept();
    await chmod(sealed.reader.paths.root, 0o500);
    expect(stepsOf(await sealed.digest())).toBe(STEPS);
    await chmod(sealed.reader.paths.root, 0o700);
  });

  it("is nothing of a short log, nor of one of which nobody knows whose it is, and leaves no other file", async () => {
    const short = await createKept(20);
    await short.digest();
    expect(await readdir(short.reader.paths.root)).toEqual(["agents"]);
    const long = await createKept();
    await long.digest();
    expect(await readdir(long.reader.paths.tmp)).toEqual([]);
    await long.write(1, "anew");
    await long.digest();
    expect(await readdir(join(long.kept, ".."))).toEqual([]);
  });
});
