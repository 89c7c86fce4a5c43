// Searches as it is told on its command line, tells its parent how far it has read, and prints what it found.

import { tsImport } from "tsx/esm/api";
import { Worker } from "node:worker_threads";

const { openSearch } = await tsImport("../../../src/storage/search/open.ts", import.meta.url);
const { createSearchThread } = await tsImport("../../../src/storage/search/thread.ts", import.meta.url);
const { longMemory } = await tsImport("./long-memory.ts", import.meta.url);

/** `stopsAt`: where it reads no further, for ever. */
const { folder, entries, texts, stopsAt } = JSON.parse(process.argv[2]);
const memory = longMemory(entries, async (seq) => {
  if (seq % 500 === 0) process.send?.(seq);
  if (seq !== stopsAt) return;
  process.send?.("stopped");
  await new Promise(() => setInterval(() => {}, 60_000));
});
const thread = createSearchThread(() => new Worker(new URL("./search-worker.mjs", import.meta.url)));
const search = openSearch({ folder, memory, thread });
const found = [];
for (const text of texts) found.push((await search.search({ text, limit: 5 })).map(({ seq }) => seq));
console.log(JSON.stringify(found));
await search.close();
process.disconnect?.();
