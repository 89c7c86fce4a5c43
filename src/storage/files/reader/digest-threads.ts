// Threads that fold long logs of which nothing is kept: whoever else this thread serves does not wait for that, and every processor is
// at it.

import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { inParallel } from "../../../base/turns.ts";
import type { AgentId } from "../../../domain/message/message.ts";

/** Of whom what the log comes to is to be kept. */
export interface FoldOrder {
  readonly project: string;
  readonly home: string;
  readonly agent: AgentId;
}

/** What became of an order. */
export type FoldReply = "kept" | "unkept";

/** So much is folded here in the time in which a thread starts. */
const WORTHWHILE_BYTES = 4 * 1_048_576;
const MOST_THREADS = 4;
/** Then a thread without an order ends. */
const REST_MS = 1_000;

/** They keep the process alive only while they are at work. */
export function createDigestThreads(start: () => Worker = startCompiled) {
  const inTurn = inParallel(Math.min(MOST_THREADS, availableParallelism()));
  const resting: FoldThread[] = [];
  let askedBytes = 0;
  let isOver = false;
  const rest = setTimeout(() => resting.splice(0).forEach((thread) => thread.end()), REST_MS).unref();
  return {
    /** Resolves with true once it is kept; with false where whoever asks had better fold it. Never rejects. */
    async fold(order: FoldOrder, bytes: number): Promise<boolean> {
      askedBytes += bytes;
      if (isOver || askedBytes <= WORTHWHILE_BYTES) return false;
      return inTurn(async () => {
        if (isOver) return false;
        const thread = resting.pop() ?? openThread(start());
        const became = await thread.send(order);
        // Where one cannot run, no other can.
        if (became === "ended") isOver = true;
        else resting.push(thread);
        rest.refresh();
        return became === "kept";
      });
    },
  };
}

export const digestThreads = createDigestThreads();

type FoldThread = ReturnType<typeof openThread>;

function openThread(worker: Worker) {
  let answer: (became: FoldReply | "ended") => void = () => undefined;
  let hasEnded = false;
  worker.on("message", (became: FoldReply) => answer(became));
  for (const end of ["error", "exit"])
    worker.on(end, () => {
      hasEnded = true;
      answer("ended");
    });
  return {
    async send(order: FoldOrder): Promise<FoldReply | "ended"> {
      if (hasEnded) return "ended";
      worker.ref();
      const answered = new Promise<FoldReply | "ended">((resolve) => (answer = resolve));
      worker.postMessage(order);
      return answered.finally(() => worker.unref());
    },
    end: (): void => void worker.terminate(),
  };
}

/** The compiled one: there is none beside the sources. */
function startCompiled(): Worker {
  return new Worker(new URL("./digest-worker.js", import.meta.url));
}
