// Reads one page and has nothing more to do: it ends by itself, or never.

import { tsImport } from "tsx/esm/api";
import { Worker } from "node:worker_threads";

const { createExtractor } = await tsImport("../../../../modules/web/extract/extractor.ts", import.meta.url);
const start = () => new Worker(new URL("./extract-worker.mjs", import.meta.url));
const extractor = createExtractor({ start, idleMs: 3_600_000 });
const document = { url: "https://example.org/", status: 200, headers: {}, body: Buffer.from("<p>a") };
const { text } = await extractor.extract(document, { signal: new AbortController().signal });
console.log(`read: ${text}`);
