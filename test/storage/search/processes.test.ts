import { execFile, fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterEach, expect, it } from "vitest";
import { openSearch } from "../../../src/storage/search/open.ts";
import type { SearchedMemory } from "../../../src/storage/search/search.ts";
import { createSearchThread } from "../../../src/storage/search/thread.ts";
import { createTempProject } from "../../temp-project.ts";
import { longMemory } from "./long-memory.ts";
import { startSearchWorker } from "./start-worker.ts";

interface Order {
  readonly folder: string;
  readonly entries: number;
  readonly texts: readonly string[];
  readonly stopsAt?: number;
}

const PROGRAM = join(import.meta.dirname, "search-process.mjs");
const thread = createSearchThread(startSearchWorker);
thread.enter();

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

function start(order: Order): ChildProcess {
  const child = fork(PROGRAM, [JSON.stringify(order)], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  children.push(child);
  return child;
}

async function foundBy(child: ChildProcess): Promise<unknown> {
  return JSON.parse(await text(child.stdout!));
}

async function find(folder: string, memory: SearchedMemory, texts: readonly string[]) {
  const search = openSearch({ folder, memory, thread });
  const found = [];
  for (const wanted of texts)
    found.push((await search.search({ text: wanted, limit: 5 })).map(({ seq }) => seq));
  await search.close();
  return found;
}

/** Kills a process that builds the index once it has read so far, while it has a transaction open. */
async function killWhileWriting(order: Order, after: number): Promise<void> {
  const child = start(order);
  for await (const [read] of messagesOf(child)) {
    const [held] = (await readdir(order.folder)).filter((name) => name.startsWith("held-"));
    if (Number(read) < after || !existsSync(join(order.folder, held ?? "", "index.db.lock"))) continue;
    child.kill("SIGKILL");
    break;
  }
  await once(child, "exit");
  const [left] = await readdir(order.folder);
  expect(await readdir(join(order.folder, left!))).toContain("index.db.lock");
}

async function* messagesOf(child: ChildProcess): AsyncGenerator<readonly [unknown]> {
  const ended = once(child, "exit").then(() => undefined);
  for (;;) {
    const message = await Promise.race([once(child, "message"), ended]);
    if (!message) throw new Error("it ended before it was killed");
    yield [message[0]];
  }
}

it("goes on where a process was killed in the middle of a write, and finds what is found without that", async () => {
  const project = await createTempProject();
  const order = { folder: join(project, "cache"), entries: 45_000, texts: ["entry"] };
  for (const after of [2_000, 22_000, 41_000]) await killWhileWriting(order, after);
  const texts = ["n44999", "n2 n20001 n40001", "word17 word4711", "word3 n100", "entry of all"];
  const reads: number[] = [];
  const memory = longMemory(order.entries);
  const counted: SearchedMemory = {
    log: memory.log,
    events(from) {
      reads.push(from);
      return memory.events(from);
    },
  };
  const found = await find(order.folder, counted, texts);
  expect(found).toEqual(await find(join(project, "fresh"), memory, texts));
  expect(reads[0]).toBeGreaterThan(20_000);
  expect(await readdir(order.folder)).toEqual(["free"]);
});

it("finds in several processes at once, and leaves one index", async () => {
  const folder = join(await createTempProject(), "cache");
  const texts = ["n7", "n1999", ...Array.from({ length: 20 }, (_, at) => `n${at + 20}`)];
  const order = { folder, entries: 2_000, texts };
  const expected = texts.map((wanted) => [Number(wanted.slice(1))]);
  const found = await Promise.all([
    foundBy(start(order)),
    foundBy(start(order)),
    find(folder, longMemory(2_000), texts),
  ]);
  expect(found).toEqual([expected, expected, expected]);
  expect(await readdir(folder)).toEqual(["free"]);
});

it("waits for no process that has the index and does not go on", async () => {
  const folder = join(await createTempProject(), "cache");
  const child = start({ folder, entries: 2_000, texts: ["n7"], stopsAt: 900 });
  for await (const [message] of messagesOf(child)) if (message === "stopped") break;
  const memory = longMemory(1_500);
  expect(await find(folder, memory, ["n7", "n1400"])).toEqual([[7], [1_400]]);
  expect(await readdir(folder)).toHaveLength(2);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await find(folder, memory, ["n8"])).toEqual([[8]]);
  expect(await readdir(folder)).toEqual(["free"]);
});

it.runIf(process.platform === "linux")("finds where the disk is full", async () => {
  const folder = join(await createTempProject(), "cache");
  const order: Order = { folder, entries: 9_000, texts: ["n7", "n8999", "entry n4500"] };
  // No file may grow past 256 KiB.
  const limited = `ulimit -f 256; exec "$0" "$@"`;
  const { stdout } = await promisify(execFile)("bash", [
    "-c",
    limited,
    process.execPath,
    PROGRAM,
    JSON.stringify(order),
  ]);
  expect((JSON.parse(stdout) as number[][]).map(([best]) => best)).toEqual([7, 8_999, 4_500]);
  expect(await readdir(folder)).toEqual([]);
});
