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

/** For as long as the page lives. */
export async function watchRequests(session: CDPSession): Promise<Requests> {
  /** By id, the document that they are for. Those that have got neither an answer nor a refusal: some answers never end. */
  const open = new Map<string, string>();
  const listeners = new Set<() => void>();
  let begun = 0;
  const change = (): void => listeners.forEach((listener) => listener());
  const end = ({ requestId }: { readonly requestId: string }): void => {
    if (open.delete(requestId)) change();
  };
  const watch = async (one: CDPSession): Promise<void> => {
    one.on("Network.requestWillBeSent", ({ requestId, loaderId }) => {
      begun++;
      open.set(requestId, loaderId);
      change();
    });
    one.on("Network.responseReceived", end);
    one.on("Network.loadingFinished", end);
    one.on("Network.loadingFailed", end);
    one.on("sessionattached", (worker) => {
      // It may be gone already.
      watch(worker).catch(() => undefined);
    });
    await Promise.all([
      one.send("Network.enable"),
      one.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
      one.send("Runtime.runIfWaitingForDebugger"),
    ]);
  };
  // Nobody tells what becomes of the requests of a document that was left.
  session.on("Page.frameNavigated", ({ frame }) => {
    if (frame.parentId !== undefined) return;
    for (const [id, loader] of open) if (loader !== frame.loaderId) open.delete(id);
    change();
  });
  await session.send("Page.enable");
  await watch(session);

  /** Resolves once no more than `most` have been open for so long. */
  const atMost = (most: number, forMs: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const look = (): void => {
        if (open.size <= most) return void (timer ??= setTimeout(resolve, forMs));
        clearTimeout(timer);
        timer = undefined;
      };
      listeners.add(look);
      signal.addEventListener("abort", () => {
        listeners.delete(look);
        clearTimeout(timer);
      });
      look();
    });
  return {
    get begun() {
      return begun;
    },
    async quiet(signal) {
      signal.throwIfAborted();
      const done = new AbortController();
      const either = AbortSignal.any([signal, done.signal]);
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error), { signal: done.signal });
      });
      try {
        return await Promise.race([
          atMost(0, QUIET_MS, either).then(() => "whole" as const),
          atMost(NEARLY_QUIET_REQUESTS, NEARLY_QUIET_MS, either).then(() => "nearly" as const),
          aborted,
        ]);
      } finally {
        done.abort();
      }
    },
  };
}
