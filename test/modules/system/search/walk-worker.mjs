// Runs the source of the walking thread, which not every Node can do by itself.

import { tsImport } from "tsx/esm/api";

await tsImport("../../../../modules/system/search/walk-worker.ts", import.meta.url);
