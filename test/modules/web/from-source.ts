// The module as it stands in the sources: its thread needs a loader there.

import { Worker } from "node:worker_threads";
import { createWeb } from "../../../modules/web/index.ts";

export const web = createWeb(() => new Worker(new URL("./extract/extract-worker.mjs", import.meta.url)));
