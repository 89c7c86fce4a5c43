import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NewMemoryEvent } from "../../../../src/domain/memory/record.ts";
import type { Memories } from "../../../../src/storage/contract/memory/memories.ts";
import { createRedisMemories } from "../../../../src/storage/redis/memories/memories.ts";
import { context, entry, eventsOf, ID } from "../../contract/memory/memory-letters.ts";
import { openTestLink } from "../members.ts";
import { newLegion } from "../places.ts";
import { redisIsThere, startRedis, tell, until, type Server } from "../servers.ts";
import { expectFolded, keptIn, textsOf } from "./memories-place.ts";

const CANARY = "canary-7313";
const FORGET: NewMemoryEvent = { kind: "forgotten", seqs: [3, 5], entries: 1, by: "0" };

let server: Server;
let legion: string;
beforeEach(async () => {
  legion = newLegion();
  if (redisIsThere) server = await startRedis();
});
afterEach(() => server?.stop());

const open = async (url = server.url): Promise<Memories> =>
  createRedisMemories({ link: await openTestLink(url), legion });

/** Two entries and two contexts, where every other one holds the canary. */
async function fill(memories: Memories): Promise<void> {
  const note = { summary: CANARY, speaker: CANARY, thread: CANARY, tags: { [CANARY]: CANARY } };
  await memories.receive(ID, entry(1, { from: "0", content: "stays" }));
  await memories.receive(ID, entry(2, { from: "0", content: `so ${CANARY} said`, note }));
  await memories.receive(ID, context(3, { from: "0", content: "# Stays" }));
  await memories.receive(ID, context(4, { from: "0", content: `# ${CANARY}`, taint: [CANARY] }));
}

async function inKeys(): Promise<boolean> {
  return (await keptIn([server.port], legion)).join().includes(CANARY);
}

/** Is it in any file of the server? */
async function inFiles(): Promise<boolean> {
  const names = await readdir(server.dir, { recursive: true, withFileTypes: true });
  for (const name of names.filter((each) => each.isFile())) {
    // A file that is replaced just now is gone.
    const text = await readFile(join(name.parentPath, name.name), "latin1").catch(() => "");
    if (text.includes(CANARY)) return true;
  }
  return false;
}

describe.skipIf(!redisIsThere)("what a memory in Redis forgets", () => {
  it("is in no key of it, and soon in no file: Redis writes those anew (M7)", async () => {
    const memories = await open();
    await fill(memories);
    expect([await inKeys(), await inFiles()]).toEqual([true, true]);
    await memories.change(ID, async () => [FORGET]);
    expect(await inKeys()).toBe(false);
    await until(async () => !(await inFiles()));
    await server.restart();
    const again = await open();
    expect(await textsOf(again)).toEqual(["stays", ""]);
    expect(await expectFolded(again)).toMatchObject({ entries: 1, contexts: [4] });
    expect(await inKeys()).toBe(false);
  });

  it("is in no key of it also after its server was killed right behind the answer", async () => {
    const memories = await open();
    await fill(memories);
    await memories.change(ID, async () => [FORGET]);
    await server.kill();
    await server.restart();
    const again = await open();
    expect(await inKeys()).toBe(false);
    expect((await eventsOf(again)).at(-1)).toMatchObject(FORGET);
    await expectFolded(again);
  });

  it("is forgotten also where nobody may have files written anew: these hold it until Redis does so by itself", async () => {
    await tell(
      server.port,
      "ACL",
      "SETUSER",
      "legion",
      ..."on >pw ~lg:* &lg:* +@all -@admin +info".split(" "),
    );
    const memories = await open(server.url.replace("//", "//legion:pw@"));
    await fill(memories);
    await memories.change(ID, async () => [FORGET]);
    expect([await inKeys(), await inFiles()]).toEqual([false, true]);
    await tell(server.port, "BGREWRITEAOF");
    await until(async () => !(await inFiles()));
  });

  it("makes room where Redis has no memory left for anything else", async () => {
    const memories = await open();
    await fill(memories);
    await tell(server.port, "CONFIG", "SET", "maxmemory", 1);
    await expect(memories.receive(ID, entry(5, { from: "0" }))).rejects.toMatchObject({ code: "STORAGE" });
    await memories.change(ID, async () => [FORGET]);
    expect(await inKeys()).toBe(false);
    await tell(server.port, "CONFIG", "SET", "maxmemory", 0);
    expect(await memories.receive(ID, entry(5, { from: "0" }))).toEqual({ status: "accepted" });
    await expectFolded(memories);
  });

  it("stays where its server keeps no such file, which nobody would keep up", async () => {
    const memories = await open();
    await fill(memories);
    await tell(server.port, "CONFIG", "SET", "appendonly", "no");
    const before = await readdir(join(server.dir, "appendonlydir"));
    await memories.change(ID, async () => [FORGET]);
    expect(await inKeys()).toBe(false);
    expect(String(await tell(server.port, "INFO", "persistence"))).toContain("aof_rewrite_in_progress:0");
    expect(await readdir(join(server.dir, "appendonlydir"))).toEqual(before);
  });
});
