import type { CDPSession, Page } from "puppeteer";
import { NOTHING, SCROLL, SCROLL_BACK } from "./in-page.ts";
import { MAX_SCROLLS } from "./limits.ts";
import { watchRequests, type Requests, type Rest } from "./requests.ts";
import { enterWorld } from "./world.ts";

export interface Tab {
  readonly page: Page;
  readonly session: CDPSession;
  readonly mainFrame: string;
}

/** Loads `url`; resolves when the page, scrolled to its end, wants no more. That may be never: `signal` ends it. */
export async function settle(tab: Tab, url: string, signal: AbortSignal): Promise<Rest> {
  const requests = await watchRequests(tab.session);
  await tab.page.goto(url, { waitUntil: "load", timeout: 0 });
  let rest: Rest = "whole";
  let height: unknown;
  for (let scrolls = 0; scrolls < MAX_SCROLLS; scrolls++) {
    signal.throwIfAborted();
    const reached = await runIn(tab, SCROLL);
    if (reached !== undefined && reached === height) break;
    height = reached;
    rest = await calm(tab, requests, signal);
  }
  await runIn(tab, SCROLL_BACK);
  return rest;
}

/** `undefined`: the page has gone on to another one meanwhile. */
async function runIn({ session, mainFrame }: Tab, source: string): Promise<unknown> {
  try {
    return await (await enterWorld(session, mainFrame)).call(source);
  } catch {
    return undefined;
  }
}

/** Resolves when it is quiet, and not only seems so because this process had no time to hear of what began. */
async function calm(tab: Tab, requests: Requests, signal: AbortSignal): Promise<Rest> {
  for (;;) {
    const rest = await requests.quiet(signal);
    const heard = requests.begun;
    // Its answer comes after the word of every request that had begun.
    await runIn(tab, NOTHING);
    if (requests.begun === heard) return rest;
  }
}
