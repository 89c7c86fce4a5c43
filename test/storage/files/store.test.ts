import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { compose } from "../../../src/mail/compose.ts";
import { toLine } from "../../../src/storage/folder/line.ts";
import type { Memory } from "../../../src/past/past.ts";
import type { AgentId } from "../../../src/domain/message/message.ts";
import { legionPaths, type LegionPaths } from "../../../src/storage/folder/paths.ts";
import { openFileStore, type FileStore } from "../../../src/storage/files/store.ts";
import { UNHOSTED } from "../../../src/storage/contract/store.ts";
import { createHandClock } from "../../hand-clock.ts";
import { createTempProject } from "../../temp-project.ts";
import { readEvents } from "../../world.ts";

let project: string;
let paths: LegionPaths;

beforeEach(async () => {
  project = await createTempProject();
  paths = legionPaths(project);
});

async function open(...hosted: readonly AgentId[]): Promise<FileStore> {
  const options = { paths, role: "node", durability: "process", hosted: new Set(hosted) } as const;
  const store = await openFileStore({ ...options, clock: createHandClock(), inspect: () => undefined });
  onTestFinished(() => store.close().catch(() => undefined));
  return store;
}

async function commit(memory: Memory, content: string, ...to: readonly AgentId[]): Promise<void> {
  const sends = compose(memory, { from: memory.agent, to, content }, [], 0);
  await memory.commit({ kind: "notice", reason: "said", content, sends });
}

async function mailOf(store: FileStore, agent: AgentId): Promise<string[]> {
  const inbox = await store.bus.open(agent);
  const contents = inbox.peek(Infinity).map(({ message }) => message.content);
  await inbox.close();
  return contents;
}

async function segmentOf(agent: AgentId): Promise<string> {
  const folder = join(paths.agent(agent), "log");
  return join(folder, (await readdir(folder)).sort()[0]!);
}

describe("the store of a project", () => {
  it("is opened by one at a time, and by the next one after it was closed", async () => {
    const store = await open("1");
    await expect(open("1")).rejects.toMatchObject({
      code: "LOCKED",
      message: expect.stringContaining(String(process.pid)) as string,
    });
    await store.close();
    await open("1");
  });

  it("knows agents that are hosted and those that have a folder, and nobody else", async () => {
    for (const name of ["7", "writer", "0", "all", "con", "Bad Name", ".hidden"])
      await mkdir(join(paths.agents, name), { recursive: true });
    const store = await open("1", "7");
    expect([...store.known()].sort()).toEqual(["1", "7", "writer"]);
    await expect(store.control.say(["writer"], "hello")).resolves.toEqual(["0>writer#1"]);
  });

  it("empties the temporary folder", async () => {
    await mkdir(join(paths.tmp, "deep"), { recursive: true });
    await writeFile(join(paths.tmp, "left"), "behind");
    await open("1");
    expect(existsSync(join(paths.tmp, "left")) || existsSync(join(paths.tmp, "deep"))).toBe(false);
  });

  it("leaves the project free when it cannot be opened", async () => {
    const first = await open("1");
    await first.control.announce(["1"], "a");
    await first.close();
    const whole = await readFile(await segmentOf("0"));
    await writeFile(await segmentOf("0"), toLine({ seq: 1, epoch: 1, at: "", kind: "opened", format: 2 }));
    await expect(open("2")).rejects.toMatchObject({ code: "DAMAGED" });
    await writeFile(await segmentOf("0"), whole);
    await open("2");
  });

  it("opens without an agent whose log cannot be read", async () => {
    const first = await open("1");
    await commit(await first.openAgent("1", UNHOSTED), "a", "0");
    await first.close();
    await writeFile(await segmentOf("1"), toLine({ seq: 1, epoch: 1, at: "", kind: "opened", format: 2 }));
    const second = await open("2");
    expect(await second.ledger("1")).toBeUndefined();
    await second.deliverForOthers();
    await expect(second.bus.send({ from: "x", message: (await letterTo("1"))! })).rejects.toThrow("newer");
  });

  it("frees the lock, and closes the rest, whatever fails while it is closed", async () => {
    const store = await open("1");
    // Whoever deletes the lock takes the logs away: nothing can be committed any more.
    await store.bus.send({ from: "x", message: (await letterTo("0"))! });
    await rm(paths.lock, { recursive: true });
    await expect(store.control.say(["1"], "x")).rejects.toMatchObject({ code: "STORAGE" });
    await store.close().catch(() => undefined);
    await expect(store.bus.send({ from: "y", message: (await letterTo("1"))! })).rejects.toThrow("closed");
    await open("1");
  });

  async function letterTo(to: AgentId) {
    const other = await createTempProject();
    const options = {
      paths: legionPaths(other),
      role: "node",
      durability: "process",
      hosted: new Set<string>(),
    } as const;
    const store = await openFileStore({ ...options, clock: createHandClock(), inspect: () => undefined });
    const memory = await store.openAgent("5", UNHOSTED);
    const [message] = compose(memory, { from: "5", to: [to], content: "x" }, [], 0);
    await store.close();
    return message;
  }
});

describe("an agent's log in the store", () => {
  it("that was damaged tells the agent so once, and goes on under a new name", async () => {
    const first = await open("1");
    const memory = await first.openAgent("1", UNHOSTED);
    for (const content of ["one", "two", "three"]) await commit(memory, content, "0");
    const before = memory.ledger.log;
    await memory.close();
    await first.close();
    await writeFile(
      await segmentOf("1"),
      (await readFile(await segmentOf("1"), "utf8")).replace("two", "2wo"),
    );
    const names = new Set<string | undefined>();
    for (let run = 0; run < 3; run++) {
      const store = await open("1");
      const opened = await store.openAgent("1", UNHOSTED);
      names.add(opened.ledger.log);
      await opened.close();
      await store.close();
    }
    expect(names.size).toBe(1);
    expect(names.has(before)).toBe(false);
    const gaps = (await readEvents(project, "1")).filter(
      (event) => event.kind === "notice" && event.reason === "gap",
    );
    expect(gaps).toMatchObject([
      { content: expect.stringMatching(/^1 event of your past is damaged/) as string },
    ]);
    expect(await readdir(paths.corrupt)).toHaveLength(1);
  });

  it("is delivered from, also when nobody hosts the agent", async () => {
    const first = await open("1", "2");
    const memory = await first.openAgent("1", UNHOSTED);
    await commit(memory, "committed, not delivered", "2", "0");
    await memory.close();
    await first.close();
    const second = await open("2");
    expect(await mailOf(second, "2")).toEqual([]);
    await second.deliverForOthers();
    expect(await mailOf(second, "2")).toEqual(["committed, not delivered"]);
    await second.close();
    const third = await open("2");
    await third.deliverForOthers();
    expect(await mailOf(third, "2")).toEqual(["committed, not delivered"]);
    expect((await third.ledger("1"))!.undelivered).toEqual([]);
  });

  it("counts for its mail also before it is open", async () => {
    const first = await open("1", "2");
    const [one, two] = [await first.openAgent("1", UNHOSTED), await first.openAgent("2", UNHOSTED)];
    for (const word of ["a", "b", "c"]) await first.control.say(["2"], word);
    await commit(one, "first", "2");
    await first.bus.send(one.ledger.undelivered[0]!);
    const inbox = await first.bus.open("2");
    for (const { message, position, from } of inbox.peek(Infinity)) {
      await two.commit({ kind: "message", message, mail: position, from });
      inbox.taken(position);
    }
    await commit(one, "second", "2");
    // With its last message taken, nothing is left of the mailbox.
    await first.close();
    const second = await open("1", "2");
    const again = await second.openAgent("1", UNHOSTED);
    // Agent 2 is hosted here, and nothing of it has been opened yet.
    for (const send of again.ledger.undelivered) await second.bus.send(send);
    await second.openAgent("2", UNHOSTED);
    expect(await mailOf(second, "2")).toEqual(["second"]);
  });
});
