// Reads documents in at most two threads, one document each at a time.
//
//   Y1. A document that takes too long, needs too much memory or crashes its thread fails alone; the next gets a new thread.
//   Y2. Documents are begun in the order in which they came.
//   Y3. An aborted read ends at once, and so does the thread that is busy with it.
//   Y4. A thread with nothing to do does not keep the process alive, and ends after a while.

import type { Worker } from "node:worker_threads";
import type { Extracted } from "../document.ts";
import { heapOf, watchProcessor } from "./usage.ts";
import type { ReadRequest } from "./read.ts";

export interface Readers {
  /** Rejects with one sentence for the reader if the document cannot be read, and with the signal's reason. */
  read(request: ReadRequest, signal: AbortSignal): Promise<Extracted>;
  /** Reads that are under way or waiting reject. */
  close(): Promise<void>;
}

export interface ReaderOptions {
  readonly start: () => Worker;
  /** For one document, whatever else the machine does. */
  readonly timeoutMs: number;
  /** Of a processor, for one document. */
  readonly processorMs: number;
  /** Of objects in a thread, where Node can tell. */
  readonly heapBytes: number;
  /** How long a thread waits for another document. */
  readonly idleMs: number;
}

/** What a thread says. `begun`: it is busy with the document from now on; where its processor time can be read. */
export type Reply =
  { readonly begun: string } | { readonly extracted: Extracted } | { readonly refused: string };

const MAX_THREADS = 2;
const LOOK_MS = 100;

interface Job {
  readonly request: ReadRequest;
  resolve(extracted: Extracted): void;
  reject(reason: unknown): void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
  /** Ends the thread: when its document took too long, or when it had none for a while. */
  timer: NodeJS.Timeout | undefined;
  /** Looks how much its document has taken. */
  watch: NodeJS.Timeout | undefined;
  /** Of a processor, in milliseconds, for its document; absent until it is known. */
  usedMs: (() => number) | undefined;
}

interface Pool extends ReaderOptions {
  readonly waiting: Job[];
  readonly threads: Set<Thread>;
}

export function createReaders(options: ReaderOptions): Readers {
  const pool: Pool = { ...options, waiting: [], threads: new Set() };
  let isClosed = false;
  return {
    async read(request, signal) {
      signal.throwIfAborted();
      if (isClosed) throw stopping();
      let abort = (): void => {};
      const reading = new Promise<Extracted>((resolve, reject) => {
        const job: Job = { request, resolve, reject };
        abort = () => drop(pool, job, signal.reason);
        signal.addEventListener("abort", abort, { once: true });
        pool.waiting.push(job);
        begin(pool);
      });
      return reading.finally(() => signal.removeEventListener("abort", abort));
    },
    async close() {
      isClosed = true;
      const jobs = pool.waiting.splice(0);
      for (const job of jobs) job.reject(stopping());
      await Promise.all([...pool.threads].map((thread) => end(pool, thread, stopping())));
    },
  };
}

/** Gives waiting documents to threads without one. */
function begin(pool: Pool): void {
  while (pool.waiting.length > 0) {
    const idle = [...pool.threads].find(({ job }) => job === undefined);
    if (!idle && pool.threads.size >= MAX_THREADS) return;
    const thread = idle ?? startThread(pool);
    const job = pool.waiting.shift()!;
    thread.job = job;
    clearTimeout(thread.timer);
    const over = tooSlow(`longer than ${pool.timeoutMs / 1_000} s`);
    thread.timer = setTimeout(() => void end(pool, thread, over), pool.timeoutMs);
    thread.watch = setInterval(() => look(pool, thread), LOOK_MS).unref();
    thread.worker.ref();
    const { content } = job.request;
    thread.worker.postMessage(job.request, "body" in content ? [content.body.buffer] : []);
  }
}

function startThread(pool: Pool): Thread {
  const thread: Thread = {
    worker: pool.start(),
    job: undefined,
    timer: undefined,
    watch: undefined,
    usedMs: undefined,
  };
  pool.threads.add(thread);
  thread.worker.on("message", (reply: Reply) => {
    if ("begun" in reply) thread.usedMs = watchProcessor(thread.worker, reply.begun);
    else finish(pool, thread, reply);
  });
  thread.worker.on("error", (error) => void end(pool, thread, failureOf(error)));
  thread.worker.on("exit", () => void end(pool, thread, failureOf(new Error("its reader ended"))));
  return thread;
}

function look(pool: Pool, thread: Thread): void {
  const { worker, job, usedMs } = thread;
  if (usedMs && usedMs() > pool.processorMs)
    void end(pool, thread, tooSlow(`more than ${pool.processorMs / 1_000} s of processor time`));
  void heapOf(worker).then((bytes) => {
    if (bytes > pool.heapBytes && thread.job === job) void end(pool, thread, tooMuchMemory());
  });
}

function finish(pool: Pool, thread: Thread, reply: Exclude<Reply, { readonly begun: string }>): void {
  const { job } = thread;
  thread.job = undefined;
  thread.usedMs = undefined;
  clearTimeout(thread.timer);
  clearInterval(thread.watch);
  thread.timer = setTimeout(() => void end(pool, thread, undefined), pool.idleMs).unref();
  thread.worker.unref();
  if ("extracted" in reply) job?.resolve(reply.extracted);
  else job?.reject(new Error(reply.refused));
  begin(pool);
}

/** `reason` is for the document that the thread is busy with, if there is one. */
async function end(pool: Pool, thread: Thread, reason: unknown): Promise<void> {
  if (!pool.threads.delete(thread)) return;
  clearTimeout(thread.timer);
  clearInterval(thread.watch);
  thread.job?.reject(reason);
  begin(pool);
  await thread.worker.terminate();
}

function drop(pool: Pool, job: Job, reason: unknown): void {
  const index = pool.waiting.indexOf(job);
  if (index >= 0) pool.waiting.splice(index, 1);
  job.reject(reason);
  for (const thread of pool.threads) if (thread.job === job) void end(pool, thread, reason);
}

function stopping(): Error {
  return new Error("The document was not read, because the process is stopping.");
}

function tooSlow(time: string): Error {
  return new Error(`The document takes ${time} to read: it is too large or too entangled.`);
}

function tooMuchMemory(): Error {
  return new Error("The document needs too much memory to be read.");
}

function failureOf(error: Error & { code?: unknown }): Error {
  return error.code === "ERR_WORKER_OUT_OF_MEMORY"
    ? tooMuchMemory()
    : new Error(`The document could not be read: ${error.message}.`);
}
