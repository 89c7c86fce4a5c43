import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Event } from "../../../src/domain/event/event.ts";
import { createDisk, type Disk } from "../../../src/base/files/disk.ts";
import { openFileLog, readFileLog, type OpenedFileLog } from "../../../src/storage/files/log.ts";
import { toLine } from "../../../src/storage/folder/line.ts";
import type { Durability } from "../../../src/storage/contract/node.ts";
import { createTempProject } from "../../temp-project.ts";
import { describeEventLog, said, type OpenedLog } from "../../past/log/event-log-contract.ts";
import { failFrom, watchDisk } from "./watched-disk.ts";
import { gapNotice } from "../../../src/past/log/gaps.ts";

interface Opening {
  readonly disk?: Disk;
  readonly epoch?: number;
  readonly durability?: Durability;
  readonly maxPartBytes?: number;
}

let root: string;
let folder: string;
let epoch: number;

beforeEach(async () => {
  root = await createTempProject();
  folder = join(root, "agents", "7");
  epoch = 0;
});

async function open(opening: Opening = {}): Promise<OpenedLog & OpenedFileLog> {
  const disk = opening.disk ?? createDisk(join(root, "tmp"));
  const past: Event[] = [];
  const opened = await openFileLog(
    {
      folder,
      disk,
      lock: { epoch: opening.epoch ?? ++epoch, held: () => true },
      durability: opening.durability ?? "disk",
      clock: { now: () => 0 },
      corruptFolder: join(root, "corrupt"),
      maxPartBytes: opening.maxPartBytes ?? 1_048_576,
    },
    (event) => past.push(event),
  );
  return { ...opened, past };
}

const logFile = async (index: number): Promise<string> =>
  join(folder, "log", (await readdir(join(folder, "log"))).sort()[index]!);

/** Changes one byte of the event with this content. */
async function damage(file: string, content: string): Promise<void> {
  const bytes = await readFile(file);
  bytes[bytes.indexOf(content)]! ^= 1;
  await writeFile(file, bytes);
}

for (const durability of ["disk", "process"] as const) {
  describeEventLog(`a file log of durability ${durability}`, async () => {
    let last: OpenedLog | undefined;
    return async () => {
      await last?.log.close();
      return (last = await open({ durability, maxPartBytes: 2_000 }));
    };
  });
}

describe("a file log", () => {
  it("writes lines that anyone can read as JSON", async () => {
    const { log } = await open();
    await log.append([said("hello")]);
    const lines = (await readFile(await logFile(0), "utf8")).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { seq: 1, epoch: 1, at: "1970-01-01T00:00:00.000Z", kind: "opened", format: 2, log: log.id, seals: {} },
      { seq: 2, epoch: 1, kind: "notice", content: "hello" },
    ]);
    expect(lines.every((line) => /,"crc":"[0-9a-f]{8}"\}$/.test(line))).toBe(true);
  });

  it("rejects with STORAGE on a disk that fails, is dead, and has lost nothing when it is opened again (L2)", async () => {
    for (let n = 1; ; n++) {
      await rm(folder, { recursive: true, force: true });
      const kept: string[] = [];
      let failed = false;
      const disk = watchDisk(createDisk(join(root, "tmp")), failFrom(n));
      const { log } = await open({ disk, maxPartBytes: 400 });
      for (const content of ["a", "b".padEnd(70_000), "c", "d", "e"]) {
        await log.append([said(content)]).then(
          () => {
            expect(failed).toBe(false);
            kept.push(content);
          },
          (error: unknown) => {
            failed = true;
            expect(error).toBeInstanceOf(Error);
          },
        );
      }
      const { past } = await open();
      const found = past.flatMap((event) => (event.kind === "notice" ? [event.content] : []));
      expect(found.slice(0, kept.length)).toEqual(kept);
      if (!failed) break;
    }
  });

  it("keeps strings over 64 KiB beside it, wherever they stand, and gives them back", async () => {
    const long = "ä".repeat(40_000);
    const { log } = await open();
    const event = {
      kind: "result",
      call: "c1",
      outcome: "ok",
      content: long,
      details: { pages: ["short", { text: long.toUpperCase() }] },
      state: [["notes", "a", `${long}!`]],
    } as const;
    const [stamped] = await log.append([event]);
    expect(stamped).toMatchObject(event);
    await log.close();
    expect((await readFile(await logFile(0))).length).toBeLessThan(2_000);
    expect(await readdir(join(folder, "blobs"))).toHaveLength(3);
    expect((await open()).past.at(-1)).toEqual(stamped);
  });

  it("says so where a long string is lost or damaged", async () => {
    const { log } = await open();
    await log.append([said("x".repeat(70_000)), said("y".repeat(70_000)), said("short")]);
    await log.close();
    const [first, second] = (await readdir(join(folder, "blobs"))).map((name) => join(folder, "blobs", name));
    await rm(first!);
    await writeFile(second!, "something else");
    const contents = (await open()).past.flatMap((event) => (event.kind === "notice" ? [event.content] : []));
    expect(contents).toEqual([
      expect.stringMatching(/^\(lost: blob [0-9a-f]{64}\)$/),
      expect.stringMatching(/^\(lost: blob [0-9a-f]{64}\)$/),
      "short",
    ]);
  });
});

describe("a file log that was damaged", () => {
  async function damagedLog(): Promise<string> {
    const { log } = await open();
    await log.append([said("first"), said("second"), said("third")]);
    await log.close();
    await damage(await logFile(0), "second");
    return log.id;
  }

  it("goes on under a new name, says which events are lost, and keeps the bytes", async () => {
    const before = await damagedLog();
    const { log, lost, past } = await open();
    expect(log.id).not.toBe(before);
    expect(lost).toEqual([[3, 3]]);
    expect(past.map(({ seq }) => seq)).toEqual([1, 2, 4]);
    const [copy] = await readdir(join(root, "corrupt"));
    expect(copy).toMatch(/^7-00000001-000\.jsonl-\d+$/);
    expect(await readFile(join(root, "corrupt", copy!), "utf8")).toContain('"seq":3');
  });

  it("counts a damage once: the name stays after it was reported", async () => {
    await damagedLog();
    const { log, lost } = await open();
    await log.append([gapNotice(lost)]);
    await log.close();
    const again = await open();
    expect(again.lost).toEqual([]);
    expect(again.log.id).toBe(log.id);
    await damage(await logFile(0), "third");
    expect((await open()).lost).toEqual([[3, 4]]);
  });

  it("counts it again if the runtime died before it was reported", async () => {
    const before = await damagedLog();
    await open();
    const { log, lost } = await open();
    expect(lost).toEqual([[3, 3]]);
    expect(log.id).not.toBe(before);
  });

  it("never gives out the number of an event that was damaged at the very end", async () => {
    const { log } = await open();
    await log.append([said("first"), said("second")]);
    await log.close();
    await damage(await logFile(0), "second");
    const next = await open();
    expect(next.lost).toEqual([[3, 3]]);
    const [notice] = await next.log.append([gapNotice(next.lost)]);
    expect(notice!.seq).toBeGreaterThan(4);
    await next.log.close();
    expect((await open()).lost).toEqual([]);
  });

  it("notices a segment that is gone", async () => {
    for (const content of ["a", "b", "c"]) {
      const { log } = await open();
      await log.append([said(content)]);
      await log.close();
    }
    await rm(await logFile(1));
    const { lost, past } = await open();
    expect(lost).toEqual([[3, 4]]);
    expect(past.flatMap((event) => (event.kind === "notice" ? [event.content] : []))).toEqual(["a", "c"]);
  });

  it("is refused untouched if a newer version wrote to it", async () => {
    const { log } = await open();
    await log.append([said("a")]);
    await log.close();
    const file = await logFile(0);
    const newer = toLine({ seq: 1, epoch: 1, at: "", kind: "opened", format: 3, log: "x", seals: {} });
    await writeFile(file, newer);
    await expect(open()).rejects.toMatchObject({
      code: "DAMAGED",
      message: expect.stringContaining(file) as string,
    });
    expect(await readFile(file, "utf8")).toBe(newer);
    expect(await readdir(root)).not.toContain("corrupt");
  });
});

describe("reading a file log", () => {
  it("sees whole events only while another process writes", async () => {
    const { log } = await open();
    await log.append([said("a"), said("b")]);
    const file = await logFile(0);
    const whole = await readFile(file);
    const disk = createDisk(join(root, "tmp"));
    const files = { folder, disk };
    const ends = [...whole.entries()].filter(([, byte]) => byte === 10).map(([end]) => end);
    for (let end = 0; end <= whole.length; end++) {
      await writeFile(file, whole.subarray(0, end));
      let read = 0;
      for await (const { seq } of readFileLog(files)) expect(seq).toBe(++read);
      expect(read).toBe(ends.filter((newline) => newline <= end).length);
    }
  });

  it("does not read segments that lie wholly before the first event asked for", async () => {
    const { log } = await open({ maxPartBytes: 1 });
    await log.append([said("a")]);
    await log.append([said("b")]);
    const [last] = await log.append([said("c")]);
    const read: string[] = [];
    const disk = watchDisk(
      createDisk(join(root, "tmp")),
      ({ op, path }) => void (op === "read" && read.push(path)),
    );
    const events: Event[] = [];
    for await (const event of readFileLog({ folder, disk }, last!.seq)) events.push(event);
    expect(events).toEqual([last]);
    expect(read).not.toContain(await logFile(0));
  });
});

it("keeps two agents' logs whole when both are written at once", async () => {
  const logs = await Promise.all(
    ["1", "2"].map(async (id) => {
      folder = join(root, "agents", id);
      return { id, log: (await open({ epoch: 1 })).log };
    }),
  );
  await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      logs.map(({ id, log }) => log.append([said(`${id}: ${n} ${"x".repeat((n * 97) % 3_000)}`)])),
    ).flat(),
  );
  for (const { id, log } of logs) {
    await log.close();
    folder = join(root, "agents", id);
    const contents = (await open({ epoch: 2 })).past.flatMap((event) =>
      event.kind === "notice" ? [event.content] : [],
    );
    expect(contents.map((content) => content.split(" ", 2).join(" "))).toEqual(
      Array.from({ length: 200 }, (_, n) => `${id}: ${n}`),
    );
  }
});
