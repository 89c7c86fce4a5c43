// Runs the tokeniser's source in a thread, which not every Node can do by itself.

import { tsImport } from "tsx/esm/api";

await tsImport("../../src/model/tokens/token-worker.ts", import.meta.url);
