// What a page and its workers ask for, and when they ask for no more. Counted here: puppeteer now and then goes on to count
// what has failed, and tells of it on another session than the one on which the page is asked whether that is all.

import type { CDPSession } from "puppeteer";
import { NEARLY_QUIET_MS, NEARLY_QUIET_REQUESTS, QUIET_MS } from "./limits.ts";

export interface Requests {
  /** How many were made. */
  readonly begun: number;
  /** Resolves when the page is quiet, which may be never; rejects when `signal` aborts. */
  quiet(signal: AbortSignal): Promise<Rest>;
}

/** `nearly`: some of what the page asked for has no answer, but it was little for a while. */
export type Rest = "whole" | "nearly";

interface Origin {
  /** The document that it is for. */
  readonly loader: string;
  /** That told of it. */
  readonly session: string;
}

/** Requests that have got neither an answer nor a refusal; an answer may go on for ever. */
interface Open {
  readonly size: number;
  add(id: string, origin: Origin): void;
  end(id: string): void;
  /** Nobody tells what becomes of the requests of a worker that has ended. */
  endAll(session: string): void;
  /** Nor of those of a document that was left. */
  keepOnly(loader: string): void;
  /** Calls `look` now and after each change. Returns how to stop. */
  watch(look: () => void): () => void;
}

/** For as long as the page lives. */
export async function watchRequests(session: CDPSession): Promise<Requests> {
  const open = createOpen();
  let begun = 0;
  const listen = async (one: CDPSession): Promise<void> => {
    one.on("Network.requestWillBeSent", ({ requestId, loaderId }) => {
      begun++;
      open.add(requestId, { loader: loaderId, session: one.id() });
    });
    for (const event of [
      "Network.responseReceived",
      "Network.loadingFinished",
      "Network.loadingFailed",
    ] as const)
      one.on(event, ({ requestId }) => open.end(requestId));
    // A worker; it may be gone already.
    one.on("sessionattached", (worker) => void listen(worker).catch(() => undefined));
    one.on("sessiondetached", (worker) => open.endAll(worker.id()));
    await Promise.all([
      one.send("Network.enable"),
      one.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
      one.send("Runtime.runIfWaitingForDebugger"),
    ]);
  };
  session.on("Page.frameNavigated", ({ frame }) => {
    if (frame.parentId === undefined) open.keepOnly(frame.loaderId);
  });
  await session.send("Page.enable");
  await listen(session);
  return {
    get begun() {
      return begun;
    },
    quiet: (signal) => untilQuiet(open, signal),
  };
}

async function untilQuiet(open: Open, signal: AbortSignal): Promise<Rest> {
  signal.throwIfAborted();
  const done = new AbortController();
  const over = AbortSignal.any([signal, done.signal]);
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { signal: done.signal });
  });
  const atMost = async (most: number, forMs: number, rest: Rest): Promise<Rest> => {
    await untilAtMost(open, { most, forMs }, over);
    return rest;
  };
  try {
    const nearly = atMost(NEARLY_QUIET_REQUESTS, NEARLY_QUIET_MS, "nearly");
    return await Promise.race([atMost(0, QUIET_MS, "whole"), nearly, aborted]);
  } finally {
    done.abort();
  }
}

/** Resolves once no more than `most` have been open for so long; never if `signal` aborts before. */
function untilAtMost(
  open: Open,
  { most, forMs }: { readonly most: number; readonly forMs: number },
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const stop = open.watch(() => {
      if (open.size <= most) return void (timer ??= setTimeout(resolve, forMs));
      clearTimeout(timer);
      timer = undefined;
    });
    signal.addEventListener("abort", () => {
      stop();
      clearTimeout(timer);
    });
  });
}

function createOpen(): Open {
  const origins = new Map<string, Origin>();
  const looks = new Set<() => void>();
  const change = (): void => looks.forEach((look) => look());
  return {
    get size() {
      return origins.size;
    },
    add(id, origin) {
      origins.set(id, origin);
      change();
    },
    end: (id) => void (origins.delete(id) && change()),
    endAll(ended) {
      for (const [id, { session }] of origins) if (session === ended) origins.delete(id);
      change();
    },
    keepOnly(kept) {
      for (const [id, { loader }] of origins) if (loader !== kept) origins.delete(id);
      change();
    },
    watch(look) {
      looks.add(look);
      look();
      return () => void looks.delete(look);
    },
  };
}
