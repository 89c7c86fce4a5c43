import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Event, NewEvent, ResultEvent } from "../../src/domain/event/event.ts";
import { createDisk } from "../../src/base/files/disk.ts";
import { openFileLog, type OpenedFileLog } from "../../src/storage/files/log.ts";
import { openMemory, type Memory } from "../../src/past/past.ts";
import type { Projector } from "../../src/past/shown/state.ts";
import { UNHOSTED } from "../../src/storage/contract/store.ts";
import type { ViewOptions } from "../../src/past/view.ts";
import { FORGET, KEEP, decision, message } from "../domain/event/event-lines.ts";
import { failFrom, watchDisk, type Watch } from "../storage/files/watched-disk.ts";
import { createTempProject } from "../temp-project.ts";
import { byHand } from "../world.ts";

let root: string;
let epoch: number;
let seen: Event[];

beforeEach(async () => {
  root = await createTempProject();
  epoch = 0;
  seen = [];
});

interface Opening {
  readonly view?: ViewOptions;
  readonly watch?: Watch;
  readonly projector?: Projector;
  readonly now?: () => number;
  readonly held?: () => boolean;
}

function open({
  view = UNHOSTED.view,
  watch,
  projector = UNHOSTED.projector,
  now = () => 0,
  held = () => true,
}: Opening = {}): Promise<Memory> {
  const plain = createDisk(join(root, "tmp"));
  const disk = watch ? watchDisk(plain, watch) : plain;
  const inspect: Parameters<typeof openMemory>[0]["inspect"] = (inspection) =>
    void (inspection.kind === "event" && seen.push(inspection.event));
  const place = {
    folder: join(root, "agent"),
    disk,
    lock: { epoch: ++epoch, held },
    durability: "disk" as const,
    clock: { now },
    corruptFolder: join(root, "corrupt"),
  };
  let before: OpenedFileLog | undefined;
  return openMemory({ agent: "1", view, inspect, projector }, async (each) => {
    before = await openFileLog(place, each, await before?.acknowledged());
    return { log: before.log, findings: [] };
  });
}

const result = (content: string, more: Partial<ResultEvent> = {}): ResultEvent => ({
  kind: "result",
  call: "c",
  outcome: "ok",
  content,
  ...more,
});

describe("the memory of an agent", () => {
  it("shows nothing of a commit before it is on the disk", async () => {
    const flush = byHand();
    const memory = await open({ watch: ({ op }) => (op === "sync" ? flush.promise : undefined) });
    const committing = memory.commit({ kind: "notice", reason: "paused", content: "" });
    expect([memory.conversation.halt, seen]).toEqual([undefined, []]);
    flush.resolve();
    await committing;
    expect(memory.conversation.halt?.reason).toBe("paused");
    expect(seen).toHaveLength(1);
  });

  it("shows nothing of a commit that failed", async () => {
    const memory = await open({ watch: failFrom(1) });
    await expect(memory.commit(result("x"))).rejects.toMatchObject({ code: "STORAGE" });
    expect([memory.ledger.last, seen]).toEqual([0, []]);
  });

  it("folds a note that comes during a commit in after it, as it stands in the log", async () => {
    const flush = byHand();
    const flushing = byHand();
    const memory = await open({
      watch({ op }) {
        if (op !== "sync") return;
        flushing.resolve();
        return flush.promise;
      },
    });
    const committing = memory.commit(result("first"), result("second"));
    await flushing.promise;
    memory.note({ kind: "sent", upTo: 0 });
    flush.resolve();
    await committing;
    expect(seen.map(({ seq }) => seq)).toEqual([2, 3, 4]);
    await memory.commit(result("third"));
    const read: Event[] = [];
    for await (const event of memory.read()) read.push(event);
    expect(read.filter(({ kind }) => kind !== "opened")).toMatchObject(seen);
  });

  it("comes to the same whether it was there or read the log later, whatever overlaps", async () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant("result" as const), key: fc.constantFrom("a", "b"), value: fc.nat() }),
      fc.record({ kind: fc.constant("note" as const) }),
      fc.record({ kind: fc.constant("paused" as const) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(event, fc.constantFrom(0, 1, 3, 9, Infinity)), { maxLength: 12 }),
        async (steps) => {
          root = await createTempProject();
          let now = 1_000;
          const memory = await open({ now: () => (now += 10) });
          const commits: Promise<unknown>[] = [];
          for (const [step, turns] of steps) {
            if (step.kind === "note") memory.note({ kind: "sent", upTo: 0 });
            else {
              const committed: NewEvent =
                step.kind === "result"
                  ? result("r", { state: [["m", step.key, step.value]] })
                  : { kind: "notice", reason: "paused", content: "" };
              commits.push(memory.commit(committed));
            }
            if (turns === Infinity) await Promise.all(commits);
            else for (let turn = 0; turn < turns; turn++) await Promise.resolve();
          }
          await Promise.all(commits);
          await memory.close();
          const again = await open();
          expect(again.ledger).toEqual({ ...memory.ledger, log: again.ledger.log });
          expect(again.state).toEqual(memory.state);
          expect(again.view.items).toEqual(memory.view.items);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("shows its past as it would have been shown from the start, once that is to be shown otherwise", async () => {
    const view: ViewOptions = { ...KEEP };
    const memory = await open({ view });
    const failed = result("no such file", { call: "a", outcome: "error" });
    await memory.commit(message("hello"), decision("I try", "a"));
    await memory.commit(failed);
    await memory.commit(decision("again", "b"));
    await memory.commit(result("done", { call: "b" }));
    expect(memory.view.turns).toHaveLength(5);
    Object.assign(view, FORGET);
    await memory.showAnew();
    await memory.commit(message("thanks"));
    await memory.close();
    const fresh = await open({ view: FORGET });
    expect(memory.view.items).toEqual(fresh.view.items);
    expect(memory.view.turns).toHaveLength(4);
  });

  it("has the files of changed state written before a commit resolves, edits included", async () => {
    const written: unknown[] = [];
    const projector: Projector = {
      ...UNHOSTED.projector,
      write: (changes, state) => {
        written.push(changes, state.modules.get("notes")?.get("a"));
        return Promise.resolve();
      },
    };
    const memory = await open({ projector });
    await memory.commit(result("no state"));
    await memory.commit(result("state", { state: [["notes", "a", "one"]] }));
    await memory.commit({ kind: "edited", module: "notes", key: "a", value: "two" });
    expect(written).toEqual([[["notes", "a", "one"]], "one", [["notes", "a", "two"]], "two"]);
  });

  it("writes files that could not be written before it commits anything else", async () => {
    const written: string[] = [];
    let broken = true;
    const projector: Projector = {
      ...UNHOSTED.projector,
      write(changes) {
        if (broken) return Promise.reject(new Error("EIO"));
        written.push(...changes.map(([, key]) => key));
        return Promise.resolve();
      },
    };
    const memory = await open({ projector });
    await expect(memory.commit(result("x", { state: [["notes", "a", "one"]] }))).rejects.toThrow("EIO");
    await expect(memory.commit(result("y"))).rejects.toThrow("EIO");
    expect(seen.filter(({ kind }) => kind === "result")).toHaveLength(1);
    broken = false;
    await memory.commit(result("z", { state: [["notes", "b", "two"]] }));
    expect(written).toEqual(["a", "b"]);
  });

  it("goes on behind what was acknowledged when it is opened anew, with what was noted since", async () => {
    let isBroken = false;
    const watch: Watch = ({ op }) => {
      if (isBroken && op === "sync") throw new Error("EIO");
    };
    const memory = await open({ watch });
    await memory.commit(result("kept"));
    isBroken = true;
    memory.note({ kind: "notice", reason: "undeliverable", content: "noted" });
    await expect(memory.commit(result("lost"))).rejects.toThrow("EIO");
    await expect(memory.reopen(result("too early"))).rejects.toThrow("EIO");
    isBroken = false;
    await memory.reopen(result("first"));
    await memory.commit(result("second"));
    const contents = async (from: Memory): Promise<unknown[]> => {
      const found: unknown[] = [];
      for await (const event of from.read()) if ("content" in event) found.push(event.content);
      return found;
    };
    expect(await contents(memory)).toEqual(["kept", "first", "noted", "second"]);
    expect(memory.view.items).toHaveLength(0);
    await memory.close();
    const again = await open();
    expect(await contents(again)).toEqual(["kept", "first", "noted", "second"]);
    expect(again.ledger).toEqual(memory.ledger);
  });

  it("is not opened anew by a process that has lost the lock: the new holder counted what it found", async () => {
    let isHeld = true;
    const memory = await open({ held: () => isHeld });
    await memory.commit(result("mine"));
    isHeld = false;
    await expect(memory.commit(result("late"))).rejects.toThrow("taken over");
    const successor = await open();
    await successor.commit(result("theirs"));
    const { last } = successor.ledger;
    await expect(memory.reopen(result("back"))).rejects.toThrow("taken over");
    await successor.close();
    const third = await open();
    expect(third.ledger.last).toBe(last);
  });
});
