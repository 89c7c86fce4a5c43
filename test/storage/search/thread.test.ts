import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { openSearch } from "../../../src/storage/search/open.ts";
import { createSearchThread } from "../../../src/storage/search/thread.ts";
import { createTempProject } from "../../temp-project.ts";
import { memoryOf } from "./memory-of.ts";
import { startSearchWorker } from "./start-worker.ts";

/** A thread that counts how often it was started, and knows what it is now. */
function countedThread() {
  const workers: Worker[] = [];
  const ended: Worker[] = [];
  const thread = createSearchThread(() => {
    const worker = startSearchWorker();
    workers.push(worker);
    worker.on("exit", () => ended.push(worker));
    return worker;
  });
  return { thread, workers, ended };
}

it("does not keep a process alive that has closed nothing", async () => {
  const program = join(import.meta.dirname, "idle-process.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, [program, await createTempProject()]);
  expect(JSON.parse(stdout)).toEqual([{ seq: 2, score: expect.any(Number) as number }]);
});

it("is one for all memories, starts with the first search and ends with the last that closes", async () => {
  const { thread, workers, ended } = countedThread();
  const folder = await createTempProject();
  const names = ["one", "two", "three"];
  const searches = names.map((name) =>
    openSearch({ folder: join(folder, name), memory: memoryOf(name), thread }),
  );
  expect(workers).toHaveLength(0);
  const found = searches.map((search, at) => search.search({ text: names[at]!, limit: 1 }));
  expect((await Promise.all(found)).map(([hit]) => hit?.seq)).toEqual([2, 2, 2]);
  expect(workers).toHaveLength(1);
  await searches[0]!.close();
  await searches[1]!.close();
  expect(ended).toHaveLength(0);
  await searches[2]!.close();
  expect(ended).toEqual(workers);
});

it("is started by no search that is only closed", async () => {
  const { thread, workers } = countedThread();
  await openSearch({ folder: await createTempProject(), memory: memoryOf(), thread }).close();
  expect(workers).toHaveLength(0);
});

it("is started anew by the search that it ended under", async () => {
  const { thread, workers } = countedThread();
  const folder = join(await createTempProject(), "cache");
  const memory = memoryOf(...Array<string>(600).fill("milk"), "tea");
  let isFirst = true;
  const search = openSearch({
    folder,
    thread,
    memory: {
      log: memory.log,
      async *events(from) {
        for await (const event of memory.events(from)) {
          yield event;
          if (event.seq === 400 && isFirst) {
            isFirst = false;
            await workers[0]!.terminate();
          }
        }
      },
    },
  });
  expect((await search.search({ text: "tea", limit: 5 })).map(({ seq }) => seq)).toEqual([602]);
  expect(workers).toHaveLength(2);
  await search.close();
});

it("is a STORAGE error where it cannot run", async () => {
  const thread = createSearchThread(() => new Worker("throw new Error('no such engine')", { eval: true }));
  const search = openSearch({ folder: await createTempProject(), memory: memoryOf("tea"), thread });
  await expect(search.search({ text: "tea", limit: 1 })).rejects.toMatchObject({
    code: "STORAGE",
    message: "the search index cannot be built: no such engine",
  });
  await search.close();
});
