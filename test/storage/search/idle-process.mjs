// Searches once, closes nothing and has nothing more to do: it ends by itself, or never.

import { tsImport } from "tsx/esm/api";
import { Worker } from "node:worker_threads";

const { openSearch } = await tsImport("../../../src/storage/search/open.ts", import.meta.url);
const { createSearchThread } = await tsImport("../../../src/storage/search/thread.ts", import.meta.url);
const { memoryOf } = await tsImport("./memory-of.ts", import.meta.url);
const thread = createSearchThread(() => new Worker(new URL("./search-worker.mjs", import.meta.url)));
const [folder] = process.argv.slice(2);
const search = openSearch({ folder, memory: memoryOf("tea"), thread });
console.log(JSON.stringify(await search.search({ text: "tea", limit: 1 })));
