import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Bus, Reception } from "../../src/mail/bus.ts";
import { compose } from "../../src/mail/compose.ts";
import type { Memory } from "../../src/past/past.ts";
import { MAILBOX_LIMIT, type AgentId, type Delivery } from "../../src/domain/message/message.ts";
import { createOutbox, type Outbox } from "../../src/mail/outbox.ts";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { openFileStore, type FileStore } from "../../src/storage/files/store.ts";
import { UNHOSTED } from "../../src/storage/contract/store.ts";
import { createHandClock, type HandClock } from "../hand-clock.ts";
import { createTempProject } from "../temp-project.ts";
import { byHand } from "../world.ts";

let project: string;
let clock: HandClock;
let store: FileStore;
let memory: Memory;

async function open(): Promise<void> {
  const where = { paths: legionPaths(project), hosted: new Set(["1", "2", "3"]), role: "node" } as const;
  const opened = await openFileStore({ ...where, durability: "process", clock, inspect: () => undefined });
  onTestFinished(() => opened.close().catch(() => undefined));
  store = opened;
  memory = await store.openAgent("1", UNHOSTED);
}

/** As after a kill: nothing is closed, and the lock is free. */
async function reopen(): Promise<void> {
  await store.lock.release();
  await open();
}

beforeEach(async () => {
  project = await createTempProject();
  clock = createHandClock();
  await open();
});

/** Commits one message to each of `to`. */
async function commit(content: string, ...to: readonly AgentId[]): Promise<void> {
  const sends = compose(memory, { from: "1", to, content }, [], 0);
  await memory.commit({ kind: "notice", reason: "said", content, sends });
}

async function mailOf(agent: AgentId): Promise<string[]> {
  const inbox = await store.bus.open(agent);
  const contents = inbox.peek(Infinity).map(({ message }) => message.content);
  await inbox.close();
  return contents;
}

function outboxOn(send: Bus["send"] = store.bus.send): Outbox {
  const outbox = createOutbox(memory, { send }, clock);
  onTestFinished(() => outbox.close());
  return outbox;
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, n) => String(n));

describe("an outbox", () => {
  it("delivers only what is committed, in order for each recipient (O1)", async () => {
    const outbox = outboxOn();
    const committing = commit("a", "2", "3");
    await outbox.deliver();
    expect([await mailOf("2"), await mailOf("3")]).toEqual([[], []]);
    await committing;
    for (const content of numbers(20)) {
      await commit(content, "2", "3");
      void outbox.deliver();
    }
    await outbox.deliver();
    expect(await mailOf("2")).toEqual(["a", ...numbers(20)]);
    expect(await mailOf("3")).toEqual(["a", ...numbers(20)]);
    expect(outbox.undelivered()).toEqual([]);
  });

  it("delivers to one while another one's mailbox takes its time", async () => {
    const slow = byHand();
    const arrived = byHand();
    const outbox = outboxOn(async (delivery) => {
      if (delivery.message.id.startsWith("1>2")) await slow.promise;
      return store.bus.send(delivery).finally(arrived.resolve);
    });
    await commit("a", "2");
    const first = outbox.deliver();
    await commit("b", "3");
    void outbox.deliver();
    await arrived.promise;
    expect(await mailOf("3")).toEqual(["b"]);
    expect(await mailOf("2")).toEqual([]);
    slow.resolve();
    await first;
    expect(await mailOf("2")).toEqual(["a"]);
  });

  it("misses no message that it hears of just when it has delivered all others (O1)", async () => {
    let sending = byHand();
    let holding = byHand();
    const outbox = outboxOn(async (delivery) => {
      sending.resolve();
      await holding.promise;
      return store.bus.send(delivery);
    });
    for (let turns = 0; turns < 40; turns++) {
      sending = byHand();
      holding = byHand();
      await commit(`first ${turns}`, "2");
      void outbox.deliver();
      await sending.promise;
      await commit(`second ${turns}`, "2");
      holding.resolve();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await outbox.deliver();
      expect(outbox.undelivered()).toEqual([]);
    }
    expect(await mailOf("2")).toHaveLength(80);
  });

  it("resolves when each message was tried once, also those that wait behind another call's", async () => {
    const holding = byHand();
    let tried = 0;
    const outbox = outboxOn(async (delivery) => {
      await holding.promise;
      tried++;
      return store.bus.send(delivery);
    });
    await commit("a", "2");
    const first = outbox.deliver();
    await commit("b", "2");
    const second = outbox.deliver().then(() => expect(tried).toBe(2));
    holding.resolve();
    await Promise.all([first, second]);
  });

  it("tries again with growing pauses, and goes on in order once there is room (O2)", async () => {
    const filler = (n: number): Delivery => {
      const [message] = compose(memory, { from: "3", to: ["2"], content: "" }, [], 0);
      return { from: "another log", message: { ...message!, id: `3>2#${n}` } };
    };
    await Promise.all(Array.from({ length: MAILBOX_LIMIT }, (_, n) => store.bus.send(filler(n + 1))));
    const outbox = outboxOn();
    await commit("a", "2");
    await commit("b", "2");
    await outbox.deliver();
    const pauses: number[] = [];
    for (let retry = 0; retry < 11; retry++) {
      pauses.push(await clock.asleep());
      clock.advance(pauses.at(-1)!);
    }
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(outbox.undelivered().map(({ message }) => message.content)).toEqual(["a", "b"]);
    const pause = await clock.asleep();
    const inbox = await store.bus.open("2");
    inbox.taken(inbox.peek(Infinity).at(-1)!.position);
    await inbox.close();
    clock.advance(pause);
    while (outbox.undelivered().length > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await mailOf("2")).toEqual(["a", "b"]);
  });

  it("tries again after whatever the bus throws (O2)", async () => {
    let failing = 2;
    const outbox = outboxOn((delivery) =>
      failing-- > 0 ? Promise.reject(new Error("EIO")) : store.bus.send(delivery),
    );
    await commit("a", "2");
    await outbox.deliver();
    for (let retry = 0; retry < 2; retry++) {
      clock.advance(await clock.asleep());
    }
    while (outbox.undelivered().length > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await mailOf("2")).toEqual(["a"]);
  });

  it("delivers again what was under way when the process died, and the recipient has it once (O2)", async () => {
    await commit("never tried", "2");
    const died = byHand<Reception>();
    const arrived = byHand();
    const outbox = createOutbox(
      memory,
      {
        async send(delivery) {
          await store.bus.send(delivery);
          arrived.resolve();
          return died.promise;
        },
      },
      clock,
    );
    void outbox.deliver();
    await arrived.promise;
    await reopen();
    expect(memory.ledger.undelivered.map(({ message }) => message.content)).toEqual(["never tried"]);
    await outboxOn().deliver();
    expect(await mailOf("2")).toEqual(["never tried"]);
  });

  it("knows after a restart what was delivered, also when it was not all (O2)", async () => {
    let offered: string[] = [];
    const toTwoOnly = (delivery: Delivery): Promise<Reception> => {
      offered.push(delivery.message.id);
      if (delivery.message.id.startsWith("1>3")) return Promise.resolve({ status: "full" });
      return store.bus.send(delivery);
    };
    const outbox = createOutbox(memory, { send: toTwoOnly }, clock);
    await commit("a", "2");
    await commit("b", "3");
    await commit("c", "2");
    await outbox.deliver();
    expect(outbox.undelivered().map(({ message }) => message.content)).toEqual(["b"]);
    await outbox.close();
    await memory.close();
    await reopen();
    offered = [];
    const again = outboxOn((delivery) => {
      offered.push(delivery.message.id);
      return store.bus.send(delivery);
    });
    await again.deliver();
    // Only what comes after the first open one is offered twice.
    expect(offered.sort()).toEqual(["1>2#2", "1>3#1"]);
    expect([await mailOf("2"), await mailOf("3")]).toEqual([["a", "c"], ["b"]]);
    await again.close();
    await memory.close();
    await reopen();
    expect(memory.ledger.undelivered).toEqual([]);
  });

  it("sends again from the log what the recipient misses, in order (O2)", async () => {
    const outbox = outboxOn();
    for (const content of numbers(5)) await commit(content, "2", "3");
    await outbox.deliver();
    const receipts: Reception[] = [{ status: "gap", expected: 2 }];
    const offered: [string, number | undefined][] = [];
    const forgetful = outboxOn((delivery) => {
      offered.push([delivery.message.id, delivery.after]);
      return Promise.resolve(receipts.shift() ?? { status: "accepted" });
    });
    await commit("now", "2");
    await forgetful.deliver();
    expect(offered).toEqual([
      ["1>2#6", undefined],
      ["1>2#2", 1],
      ["1>2#3", 2],
      ["1>2#4", 3],
      ["1>2#5", 4],
      ["1>2#6", 5],
    ]);
  });

  it("passes over numbers whose events are gone, under the name that its log had then (O2)", async () => {
    for (const content of ["one", "two", "three", "four"]) await commit(content, "2");
    const before = memory.ledger.log;
    await memory.close();
    const folder = join(legionPaths(project).agent("1"), "log");
    const path = join(folder, (await readdir(folder))[0]!);
    await writeFile(path, (await readFile(path, "utf8")).replaceAll("two", "2wo"));
    await reopen();
    expect(memory.ledger.log).not.toBe(before);
    await commit("five", "2");
    await outboxOn().deliver();
    const inbox = await store.bus.open("2");
    expect(
      inbox.peek(Infinity).map(({ from, message }) => [from === before, message.id, message.content]),
    ).toEqual([
      [true, "1>2#1", "one"],
      [true, "1>2#3", "three"],
      [true, "1>2#4", "four"],
      [false, "1>2#1", "five"],
    ]);
  });

  it("delivers what can be delivered at once before it is closed, and waits for nobody else", async () => {
    const holding = byHand();
    const outbox = createOutbox(
      memory,
      {
        async send(delivery) {
          await holding.promise;
          return delivery.message.id.startsWith("1>3") ? { status: "full" } : store.bus.send(delivery);
        },
      },
      clock,
    );
    for (const content of ["a", "b", "c"]) await commit(content, "2", "3");
    void outbox.deliver();
    const closing = outbox.close();
    holding.resolve();
    await closing;
    expect(await mailOf("2")).toEqual(["a", "b", "c"]);
    expect(outbox.undelivered()).toHaveLength(3);
    expect(clock.sleeping()).toEqual([]);
    await commit("too late", "2");
    await outbox.deliver();
    expect(await mailOf("2")).toEqual(["a", "b", "c"]);
  });
});
