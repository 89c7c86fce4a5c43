// Runs the source of the thread that searches, which not every Node can do by itself.

import { tsImport } from "tsx/esm/api";

await tsImport("../../../src/storage/search/engine/search-worker.ts", import.meta.url);
