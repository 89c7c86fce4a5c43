import type { CDPSession, HTTPRequest, Page } from "puppeteer";
import { NOTHING, SCROLL, SCROLL_BACK } from "./in-page.ts";
import { MAX_SCROLLS, NEARLY_QUIET_MS, NEARLY_QUIET_REQUESTS, QUIET_MS } from "./limits.ts";
import { enterWorld } from "./world.ts";

export interface Tab {
  readonly page: Page;
  readonly session: CDPSession;
  readonly mainFrame: string;
}

/** `nearly`: some of what the page asked for has not come, but nothing else was asked for in a while. */
export type Rest = "whole" | "nearly";

/** Loads `url`; resolves when the page, scrolled to its end, wants no more. That may be never. */
export async function settle(tab: Tab, url: string): Promise<Rest> {
  await tab.page.goto(url, { waitUntil: "load", timeout: 0 });
  const requests = watchRequests(tab.page);
  let rest: Rest = "whole";
  let height: unknown;
  for (let scrolls = 0; scrolls < MAX_SCROLLS; scrolls++) {
    const reached = await runIn(tab, SCROLL);
    if (reached !== undefined && reached === height) break;
    height = reached;
    rest = await calm(tab, requests);
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

interface Requests {
  /** How many the page has made. */
  readonly begun: number;
  /** Is there one that has got neither an answer nor a refusal? */
  isWaiting(): boolean;
}

/** For as long as the page lives. */
function watchRequests(page: Page): Requests {
  const requests: HTTPRequest[] = [];
  page.on("request", (request) => void requests.push(request));
  return {
    get begun() {
      return requests.length;
    },
    isWaiting: () => requests.some((request) => request.response() === null && request.failure() === null),
  };
}

/** Resolves when it is quiet, and not only seems so because this process had no time to hear of what began. */
async function calm(tab: Tab, requests: Requests): Promise<Rest> {
  for (;;) {
    const rest = await quiet(tab.page);
    const heard = requests.begun;
    // Its answer comes after the word of every request that had begun.
    await runIn(tab, NOTHING);
    // puppeteer now and then goes on to count one that has failed.
    if (requests.begun === heard) return requests.isWaiting() ? rest : "whole";
  }
}

async function quiet(page: Page): Promise<Rest> {
  const done = new AbortController();
  const each = { timeout: 0, signal: done.signal };
  const nearly = { ...each, idleTime: NEARLY_QUIET_MS, concurrency: NEARLY_QUIET_REQUESTS };
  return Promise.race([
    page.waitForNetworkIdle({ ...each, idleTime: QUIET_MS }).then(() => "whole" as const),
    page.waitForNetworkIdle(nearly).then(() => "nearly" as const),
  ]).finally(() => done.abort());
}
