import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Event, NewEvent } from "../../../src/domain/event/event.ts";
import { account, createLedger } from "../../../src/past/ledger.ts";
import { createBlobs, sha256 } from "../../../src/past/log/blobs.ts";
import { createDisk } from "../../../src/base/files/disk.ts";
import { openFileLog, readFileLog } from "../../../src/storage/files/log.ts";
import { READABLE } from "../../readable.ts";
import type { Past } from "../../../src/storage/contract/seed.ts";
import { decision, message, result } from "../../domain/event/event-lines.ts";
import { createTempProject } from "../../temp-project.ts";
import { writePast } from "../../../src/storage/files/seed.ts";

async function* numbered(events: readonly NewEvent[], first: number): AsyncGenerator<Event> {
  for (const [index, event] of events.entries())
    yield { seq: first + index, epoch: 7, at: "2020-01-01T00:00:00.000Z", ...event };
}

/** Writes a past, then opens it as the next process would. */
async function written(past: Partial<Past> & Pick<Past, "events" | "to">) {
  const root = await createTempProject();
  const disk = createDisk(join(root, "tmp"));
  const folder = join(root, "agent");
  const corruptFolder = join(root, "corrupt");
  await writePast(
    { folder, disk, lock: { epoch: 3, held: () => true }, clock: { now: () => 0 }, corruptFolder },
    { origin: "9", readable: READABLE, blobs: { read: () => Promise.resolve(undefined) }, ...past },
  );
  const blobs = createBlobs(join(folder, "blobs"), disk);
  const events: Event[] = [];
  for await (const event of readFileLog({ folder, disk })) events.push(event);
  const ledger = createLedger();
  const lock = { epoch: 4, held: () => true };
  const options = {
    folder,
    disk,
    lock,
    durability: "disk",
    clock: { now: () => 0 },
    corruptFolder,
  } as const;
  const opened = await openFileLog(options, (event) => account(ledger, event));
  return { folder, blobs, events, ledger, opened };
}

it("a past without an opening of its own gets one in front, and one behind it under another id", async () => {
  const { events, ledger, opened } = await written({
    events: numbered([message("hello"), decision("hi"), message("late")], 2),
    to: 3,
  });
  expect(events).toMatchObject([
    { seq: 1, kind: "opened" },
    { seq: 2, kind: "message", epoch: 7, at: "2020-01-01T00:00:00.000Z" },
    { seq: 3, kind: "decision" },
    { seq: 4, kind: "opened", epoch: 3 },
    { seq: 5, kind: "branch", to: 3, origin: "9" },
  ]);
  const ids = events.flatMap((event) => (event.kind === "opened" ? [event.log] : []));
  expect(new Set(ids).size).toBe(2);
  expect([opened.lost, opened.log.id, ledger.log]).toEqual([[], ids[1], ids[1]]);
  expect([ledger.spent.steps, ledger.taken, ledger.seen.size, ledger.undelivered]).toEqual([0, 0, 0, []]);
});

it("an empty past is one, too", async () => {
  const { events } = await written({ events: numbered([], 1), to: 0 });
  expect(events).toMatchObject([
    { seq: 1, kind: "opened" },
    { seq: 2, kind: "branch", to: 0, origin: "9" },
  ]);
});

it("each opening of the past begins a segment, and what it seals is what stands there now", async () => {
  const opening = (log: string): Event => ({
    seq: 0,
    epoch: 1,
    at: "",
    kind: "opened",
    format: 1,
    log,
    seals: { "00000001-000.jsonl": 1 },
  });
  async function* log(): AsyncGenerator<Event> {
    yield { ...opening("a"), seq: 1 };
    yield { seq: 2, epoch: 1, at: "", ...message("one") };
    yield { ...opening("a"), seq: 3 };
    yield { seq: 4, epoch: 2, at: "", ...message("two") };
  }
  const { events, folder, opened } = await written({ events: log(), to: 4 });
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await readdir(join(folder, "log"))).toEqual([
    "00000003-000.jsonl",
    "00000003-001.jsonl",
    "00000003-002.jsonl",
  ]);
  expect(opened.lost).toEqual([]);
});

it("long texts and introductions come along, goals and notes are shown", async () => {
  const long = "x".repeat(100_000);
  const prompted: NewEvent = {
    kind: "prompted",
    model: "m",
    prompt: "",
    introduction: sha256("You are."),
    reserved: { input: 1, output: 1 },
  };
  const noted = { ...result("c", "ok", long), state: [["notes", "a", "b"]] } as NewEvent;
  const { events, blobs, folder } = await written({
    events: numbered([prompted, decision("d", "c"), noted], 2),
    to: 4,
    blobs: { read: (hash) => Promise.resolve(hash === sha256("You are.") ? "You are." : undefined) },
  });
  expect(events[3]).toMatchObject({ content: long });
  expect(await blobs.read(sha256("You are."))).toBe("You are.");
  expect(await readdir(join(folder, "notes"))).toEqual(["a.txt"]);
});
