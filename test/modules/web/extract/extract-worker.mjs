// Runs the source of the reading thread, which not every Node can do by itself.

import { tsImport } from "tsx/esm/api";

await tsImport("../../../../modules/web/extract/extract-worker.ts", import.meta.url);
