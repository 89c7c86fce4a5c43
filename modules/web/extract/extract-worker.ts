// Reading a page keeps a processor busy for seconds, and a hostile one can do worse: it is done in a thread of its own.

import { parentPort } from "node:worker_threads";
import { ownThread } from "./usage.ts";
import { read, type ReadRequest } from "./read.ts";
import type { Reply } from "./readers.ts";
import { UnreadableError } from "./unreadable.ts";

const begun: Reply = { begun: ownThread() };

parentPort?.on("message", (request: ReadRequest) => {
  parentPort?.postMessage(begun);
  void answer(request).then((reply) => parentPort?.postMessage(reply));
});

async function answer(request: ReadRequest): Promise<Reply> {
  try {
    return { extracted: await read(request) };
  } catch (error) {
    if (error instanceof UnreadableError) return { refused: error.message };
    return {
      refused: `The document could not be read: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}
