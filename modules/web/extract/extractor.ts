import { Worker } from "node:worker_threads";
import type { Extracted, Fetched, Rendered } from "../document.ts";
import { decodeText } from "./decode.ts";
import { kindOf } from "./kind.ts";
import { createReaders, type ReaderOptions } from "./readers.ts";
import { visible } from "./tidy.ts";
import { ownHeapLimit } from "./usage.ts";

export interface Extractor {
  /** Rejects, with one sentence, if the document is nothing to read. */
  extract(document: Fetched, options: ExtractOptions): Promise<Extracted>;
  /** The document's own text, decoded. Rejects, with one sentence, if it has none. */
  source(document: Fetched): Promise<string>;
  /** Reads that are under way reject. */
  close(): Promise<void>;
}

export interface ExtractOptions {
  readonly signal: AbortSignal;
  /** The page after its scripts ran; then the document's body is not read. */
  readonly html?: string;
  /** Of that page. */
  readonly frames?: Rendered["frames"];
  /** Where that page is, if not at the document's address. */
  readonly url?: string;
}

/** A page of 5 MB takes 5 to 12 s of a processor. */
const MAX_PROCESSOR_MS = 30_000;
/** A page of 5 MB takes about half a gigabyte, and as much again that is not collected yet. */
const MAX_HEAP_BYTES = 1.5 * 1024 ** 3;

/** Turns documents into text, beside the main thread. */
export function createExtractor(options: Partial<ReaderOptions> = {}): Extractor {
  const limits = {
    timeoutMs: 60_000,
    processorMs: MAX_PROCESSOR_MS,
    idleMs: 60_000,
    heapBytes: MAX_HEAP_BYTES,
  };
  const readers = createReaders({ start: startCompiled, ...limits, ...options });
  return {
    extract({ headers, body, url }, { signal, html, frames = [], url: at = url }) {
      // The body is handed over to the thread, and the caller's has to stay as it is.
      const content =
        html === undefined ? { type: headers["content-type"], body: new Uint8Array(body) } : { html, frames };
      return readers.read({ url: at, content }, signal);
    },
    async source({ headers, body }) {
      const type = headers["content-type"];
      if (kindOf(type, body) === "pdf") {
        throw new Error("A PDF has no source text: only the text extracted from it can be read.");
      }
      return visible(decodeText(body, type));
    },
    close: readers.close,
  };
}

/** The compiled one: there is none beside the sources. */
function startCompiled(): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: ownHeapLimit(MAX_HEAP_BYTES) };
  return new Worker(new URL("./extract-worker.js", import.meta.url), { resourceLimits });
}
