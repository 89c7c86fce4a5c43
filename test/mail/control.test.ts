import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { LegionError } from "../../src/base/errors.ts";
import { createDisk, type Disk } from "../../src/base/files/disk.ts";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { MAX_CONTENT_BYTES } from "../../src/domain/message/message.ts";
import { openFileStore, type FileStore } from "../../src/storage/files/store.ts";
import { createHandClock } from "../hand-clock.ts";
import { watchDisk } from "../storage/files/watched-disk.ts";
import { createTempProject } from "../temp-project.ts";
import { readEvents } from "../world.ts";

let project: string;
let store: FileStore;

async function open(more: { readonly disk?: Disk } = {}): Promise<FileStore> {
  const hosted = new Set(["1", "2", "3"]);
  const options = { paths: legionPaths(project), role: "node", durability: "disk", hosted, ...more } as const;
  const opened = await openFileStore({ ...options, clock: createHandClock(), inspect: () => undefined });
  onTestFinished(() => opened.close().catch(() => undefined));
  return opened;
}

beforeEach(async () => {
  project = await createTempProject();
  store = await open();
});

async function mailOf(agent: string) {
  const inbox = await store.bus.open(agent);
  const mail = inbox.peek(Infinity).map(({ message }) => message);
  await inbox.close();
  return mail;
}

describe("what Control says", () => {
  it("is committed, numbered and in the mailboxes when it returns", async () => {
    expect(await store.control.say(["1", "2"], "hello")).toEqual(["0>1#1", "0>2#1"]);
    expect(await store.control.say(["2"], "again")).toEqual(["0>2#2"]);
    const expected = {
      type: "agentToAgent",
      source: { type: "agent", id: "0" },
      hops: 0,
      delivery: "normal",
    };
    expect(await mailOf("2")).toMatchObject([
      { ...expected, id: "0>2#1", content: "hello", targetAgentIds: ["1", "2"], root: "0>2#1" },
      { ...expected, id: "0>2#2", content: "again", targetAgentIds: ["2"], root: "0>2#2" },
    ]);
    const events = await readEvents(project, "0");
    expect(events.filter(({ kind }) => kind === "notice")).toMatchObject([
      { reason: "said", content: "hello" },
      { reason: "said", content: "again" },
    ]);
  });

  it("gives every message a number of its own, however many are said at once", async () => {
    const said = await Promise.all(
      Array.from({ length: 50 }, (_, n) => store.control.say(["1"], `word ${n}`)),
    );
    expect(said.flat()).toEqual(Array.from({ length: 50 }, (_, n) => `0>1#${n + 1}`));
    expect((await mailOf("1")).map(({ content }) => content)).toEqual(said.map((_, n) => `word ${n}`));
  });

  it("reaches all agents and not itself, and each target once", async () => {
    expect(await store.control.say("all", "to all")).toEqual(["0>1#1", "0>2#1", "0>3#1"]);
    expect(await store.control.say(["1", "1"], "once")).toEqual(["0>1#2"]);
  });

  it("may be an abort", async () => {
    await store.control.say(["1"], "stop", "abort");
    expect((await mailOf("1"))[0]).toMatchObject({ delivery: "abort" });
  });

  it("is refused before it has a number, for nobody, if one target is unknown or it is too long", async () => {
    await expect(store.control.say(["1", "9"], "x")).rejects.toMatchObject({
      code: "REFUSED",
      message: 'There is no agent "9". Known ids: 1, 2, 3, 0.',
    });
    const long = "ä".repeat(MAX_CONTENT_BYTES / 2 + 1);
    await expect(store.control.say(["1"], long)).rejects.toMatchObject({ code: "REFUSED" });
    expect(await store.control.say(["1"], "first")).toEqual(["0>1#1"]);
  });
});

describe("what the runtime says as itself", () => {
  it("is spontaneous and may belong to a conversation that went on before", async () => {
    await store.control.announce(["1", "0"], "stopped", { root: "1>2#1", hops: 32 });
    const expected = { type: "spontaneous", source: { type: "user" }, root: "1>2#1", hops: 32 };
    expect(await mailOf("1")).toMatchObject([expected]);
    await store.close();
    const events = await readEvents(project, "0");
    expect(events.flatMap((event) => (event.kind === "message" ? [event.message] : []))).toMatchObject([
      expected,
    ]);
  });
});

describe("mail to Control", () => {
  const toControl = (n: number) => ({
    from: "log of 1",
    message: {
      id: `1>0#${n}`,
      type: "agentToAgent",
      source: { type: "agent", id: "1" },
      targetAgentIds: ["0"],
      content: `report ${n}`,
      sentAt: "",
      delivery: "normal",
      root: "0>1#1",
      hops: 1,
    } as const,
  });

  it("is taken into log 0 as it arrives, once, and all of it before the store is closed", async () => {
    for (let n = 1; n <= 5; n++) {
      await Promise.all([store.bus.send(toControl(n)), store.control.say(["1"], `word ${n}`)]);
    }
    await store.close();
    store = await open();
    await store.bus.send(toControl(5));
    await store.bus.send(toControl(6));
    await store.close();
    const events = await readEvents(project, "0");
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.flatMap((event) => (event.kind === "message" ? [event.message.content] : []))).toEqual(
      [1, 2, 3, 4, 5, 6].map((n) => `report ${n}`),
    );
  });

  it("that a killed process had not taken in is taken in by the next one", async () => {
    const sends = [1, 2, 3].map((n) => store.bus.send(toControl(n)));
    await Promise.all(sends);
    await store.lock.release();
    store = await open();
    await store.close();
    const contents = (await readEvents(project, "0")).flatMap((event) =>
      event.kind === "message" ? [event.message.content] : [],
    );
    expect(contents).toEqual(["report 1", "report 2", "report 3"]);
  });
});

describe("an announcement", () => {
  it("goes to those who exist", async () => {
    const { control } = store;
    await control.announce(["ghost", "1"], "hello");
    expect(control.outbox.undelivered()).toEqual([]);
  });

  it("is made once where the log died before, which only this found out", async () => {
    await store.close();
    let isFull = false;
    const disk = watchDisk(createDisk(legionPaths(project).tmp), ({ path, op }) => {
      if (!isFull || op !== "write" || !path.includes(join("agents", "0", "log"))) return;
      isFull = false;
      throw new LegionError("STORAGE", "no space left");
    });
    store = await open({ disk });
    await store.control.say(["1"], "before");
    isFull = true;
    await store.control.announce(["1"], "hello");
    expect((await mailOf("1")).map(({ content }) => content)).toEqual(["before", "hello"]);
  });
});
