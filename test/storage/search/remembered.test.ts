// Memories that are searched through an index.

import { join } from "node:path";
import { expect, it } from "vitest";
import { indexed } from "../../../src/storage/search/remembered.ts";
import { createSearchThread } from "../../../src/storage/search/thread.ts";
import { createProcessMemories } from "../../../src/storage/memory/memories.ts";
import { temporaryFolder } from "../../world.ts";
import { context, entry, ID } from "../contract/memory/memory-letters.ts";
import { startSearchWorker } from "./start-worker.ts";

async function memoriesWith(contexts: number, ...said: readonly string[]) {
  const folder = await temporaryFolder();
  const thread = createSearchThread(startSearchWorker);
  const memories = indexed(createProcessMemories(), (id) => join(folder, id), thread);
  let n = 0;
  for (const content of said) await memories.receive(ID, entry(++n, { content, note: { summary: "" } }));
  for (let shard = 0; shard < contexts; shard++)
    await memories.receive(ID, context(++n, { content: `# Facts\nThe red boat Ada, ${shard}.`, upTo: 2 }));
  return memories;
}

it("finds entries also where there are any number of contexts that are more like what is looked for", async () => {
  const said = "She has called it Ada since it came to Bergen, and that was a very long time ago.";
  const memories = await memoriesWith(30, said, "Something else.");
  const query = { text: "red boat Ada", limit: 10 };
  expect((await memories.search(ID, query)).map(({ raw }) => raw)).toEqual([said]);
  expect(await memories.search(ID, { ...query, text: "red" })).toEqual([]);
  await memories.close();
});

it("finds no more entries than are wanted, the best first, and none that is forgotten", async () => {
  const memories = await memoriesWith(3, "Ada", "Ada and Ada and Bea", "Bea", "Ada, Bea");
  const find = async (limit: number) =>
    (await memories.search(ID, { text: "Ada", limit })).map(({ seq }) => seq);
  const all = await find(10);
  expect(new Set(all)).toEqual(new Set([2, 3, 5]));
  expect(await find(2)).toEqual(all.slice(0, 2));
  await memories.change(ID, () =>
    Promise.resolve([{ kind: "forgotten", seqs: [all[0]!], entries: 1, by: "0" }]),
  );
  expect(await find(10)).toEqual(all.slice(1));
  await memories.close();
});
