// What a page asks for, and when it asks for no more. Counted here: puppeteer now and then goes on to count what has failed,
// and tells of it on another session than the one on which the page is asked whether that is all.

import type { CDPSession } from "puppeteer";
import { NEARLY_QUIET_MS, NEARLY_QUIET_REQUESTS, QUIET_MS } from "./limits.ts";

export interface Requests {
  /** How many the page has made. */
  readonly begun: number;
  /** Resolves when the page is quiet. That may be never. */
  quiet(): Promise<Rest>;
}

/** `nearly`: some of what the page asked for has not come, but little else was asked for in a while. */
export type Rest = "whole" | "nearly";

/** For as long as the page lives. */
export async function watchRequests(session: CDPSession): Promise<Requests> {
  const open = new Set<string>();
  const listeners = new Set<() => void>();
  let begun = 0;
  const change = (): void => listeners.forEach((listener) => listener());
  const end = ({ requestId }: { readonly requestId: string }): void => {
    if (open.delete(requestId)) change();
  };
  session.on("Network.requestWillBeSent", ({ requestId }) => {
    begun++;
    open.add(requestId);
    change();
  });
  session.on("Network.loadingFinished", end);
  session.on("Network.loadingFailed", end);
  await session.send("Network.enable");

  /** Resolves once no more than `most` have been under way for so long. */
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
    quiet() {
      const done = new AbortController();
      return Promise.race([
        atMost(0, QUIET_MS, done.signal).then(() => "whole" as const),
        atMost(NEARLY_QUIET_REQUESTS, NEARLY_QUIET_MS, done.signal).then(() => "nearly" as const),
      ]).finally(() => done.abort());
    },
  };
}
