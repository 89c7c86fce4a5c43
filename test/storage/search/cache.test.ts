import { cp, mkdir, readFile, readdir, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openSearch } from "../../../src/storage/search/open.ts";
import type { SearchedMemory } from "../../../src/storage/search/search.ts";
import { createSearchThread } from "../../../src/storage/search/thread.ts";
import { createTempProject } from "../../temp-project.ts";
import { memoryOf } from "./memory-of.ts";
import { startSearchWorker } from "./start-worker.ts";

const thread = createSearchThread(startSearchWorker);
thread.enter();

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const search of opened.splice(0)) await search.close();
});

function open(folder: string, memory: SearchedMemory) {
  const search = openSearch({ folder, memory, thread });
  opened.push(search);
  return async (text: string) => (await search.search({ text, limit: 10 })).map(({ seq }) => seq);
}

/** All that is in any file below `folder`, with names. */
async function contentOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() ? `${path}\n${await readFile(path, "latin1")}` : path;
  });
  return (await Promise.all(texts)).join("\n");
}

async function cached(...texts: readonly string[]) {
  const folder = join(await createTempProject(), "cache/main/legion");
  const memory = memoryOf(...texts);
  expect(await open(folder, memory)("zebra")).toEqual([]);
  return { folder, memory, file: join(folder, "free/index.db") };
}

describe("the index in the folder", () => {
  it("is read on from where it was, by whoever opens it next", async () => {
    const { folder, memory } = await cached("tea", "milk");
    memory.say("more tea");
    memory.reads.length = 0;
    expect(await open(folder, memory)("tea")).toEqual([2, 4]);
    expect(memory.reads).toEqual([3]);
  });

  it("is built anew for another log", async () => {
    const { folder } = await cached("tea", "milk");
    const other = memoryOf("water");
    other.begin("other-log");
    other.say("water");
    expect(await open(folder, other)("tea milk")).toEqual([]);
    expect(await open(folder, other)("water")).toEqual([2]);
  });

  it("holds no text, only words", async () => {
    const { folder } = await cached("a sentence about marmalade and thyme");
    expect(await contentOf(folder)).not.toContain("about marmalade");
  });

  it("is gone with its memory", async () => {
    const { folder, memory } = await cached("tea");
    memory.begin(undefined);
    expect(await open(folder, memory)("tea")).toEqual([]);
    await expect(readdir(folder)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

const DAMAGES: Readonly<Record<string, (file: string, folder: string) => Promise<unknown>>> = {
  "cut in the middle": (file) => truncate(file, 10_000),
  "cut by a page": async (file) => truncate(file, (await readFile(file)).length - 8_192),
  empty: (file) => truncate(file, 0),
  "something else": (file) => writeFile(file, "this is no index\n".repeat(2_000)),
  "full of zeros but for its beginning": async (file) => {
    const bytes = await readFile(file);
    await writeFile(file, bytes.fill(0, 8_192));
  },
  "of another format": async (file) => {
    const bytes = await readFile(file);
    bytes.writeUInt32BE(99, 60);
    await writeFile(file, bytes);
  },
  gone: (file) => rm(file),
  "a folder": async (file) => {
    await rm(file);
    await mkdir(join(file, "deeper"), { recursive: true });
  },
  "a link to another place": async (file, folder) => {
    await rename(file, join(folder, "elsewhere.db"));
    await symlink(join(folder, "elsewhere.db"), file);
  },
  "locked by who is no more": (file) => mkdir(`${file}.lock`),
  "beside a journal of something else": (file) => writeFile(`${file}-journal`, "no journal\n".repeat(1_000)),
  "in a file in place of its folder": async (_, folder) => {
    await rm(join(folder, "free"), { recursive: true });
    await writeFile(join(folder, "free"), "a file");
  },
  "in a folder that holds other things": async (_, folder) => {
    await mkdir(join(folder, "held-by-nobody"));
    await writeFile(join(folder, "readme.txt"), "mine");
  },
};

describe.each(Object.entries(DAMAGES))("an index that is %s", (_, damage) => {
  it("does no harm", async () => {
    const { folder, memory, file } = await cached("tea", "milk", ...Array(300).fill("filler of many words"));
    await damage(file, folder);
    memory.say("more tea");
    const find = open(folder, memory);
    expect(await find("tea")).toEqual([2, 304]);
    memory.say("even more tea");
    expect(await find("tea")).toEqual([2, 304, 305]);
    expect(await open(folder, memory)("milk")).toEqual([3]);
  });
});

describe("a folder", () => {
  it("may go at any time", async () => {
    const { folder, memory } = await cached("tea");
    const find = open(folder, memory);
    expect(await find("tea")).toEqual([2]);
    await rm(folder, { recursive: true });
    expect(await find("tea")).toEqual([2]);
    await rm(join(folder, "free/index.db"));
    expect(await find("tea")).toEqual([2]);
  });

  it("may be one that cannot be made: then nothing is written, and all is found", async () => {
    const project = await createTempProject({ file: "no folder" });
    const find = open(join(project, "file/cache"), memoryOf("tea"));
    expect(await find("tea")).toEqual([2]);
    expect(await readdir(project)).toEqual(["file"]);
  });
});

describe("what is forgotten", () => {
  const CANARY = "xylocanary";

  it("is in no file of the folder any more", async () => {
    const { folder, memory } = await cached(`a ${CANARY} sings`, "tea");
    for (let at = 0; at < 400; at++) memory.say(`word${at} and ${CANARY}${at % 7}`);
    const find = open(folder, memory);
    expect(await find(CANARY)).toEqual([2]);
    expect(await contentOf(folder)).toContain(CANARY);
    memory.forget(2, ...Array.from({ length: 400 }, (_, at) => at + 4));
    expect(await find(CANARY)).toEqual([]);
    expect(await find("tea")).toEqual([3]);
    expect(await contentOf(folder)).not.toContain(CANARY);
  });

  it("is written to no file where the log tells of both at once", async () => {
    const memory = memoryOf("tea", `a ${CANARY}`, `東${CANARY}京`);
    for (let at = 0; at < 1_000; at++) memory.say("filler");
    memory.forget(3, 4);
    const folder = join(await createTempProject(), "cache");
    expect(await open(folder, memory)(CANARY)).toEqual([]);
    expect(await contentOf(folder)).not.toContain(CANARY);
  });

  it("is gone as well from what others hold, or left behind when they were killed", async () => {
    const { folder, memory } = await cached(`a ${CANARY}`, "tea");
    const held = [`held-${process.pid}.0.abc.1`, "held-999999999.5.abc.2", "held-1..abc.3"];
    for (const name of held) await cp(join(folder, "free"), join(folder, name), { recursive: true });
    await writeFile(join(folder, "free/index.db-journal"), CANARY);
    memory.forget(2);
    expect(await open(folder, memory)("tea")).toEqual([3]);
    expect(await contentOf(folder)).not.toContain(CANARY);
  });
});
