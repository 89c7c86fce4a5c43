// One read: a context of its own, a page in it, and nothing of either afterwards.

import type { BrowserContext, CDPSession, Page } from "puppeteer";
import type { NodeHost } from "../../../src/domain/authoring/host.ts";
import type { NetworkProxy } from "../../../src/domain/authoring/network.ts";
import type { Fetched, Permits, Rendered } from "../document.ts";
import { ANSWER_MS, MAX_LOADED_BYTES, SETTLE_MS, TAKE_MS } from "./limits.ts";
import type { RunningBrowser } from "./process.ts";
import { serveFirst } from "./serve.ts";
import { settle, type Tab } from "./settle.ts";
import { takePage, type Taken } from "./take.ts";

/** A page may go on to another one while it is taken; not forever. */
const MAX_TAKES = 3;
const MAX_SHOWN_URL = 200;
/** Pages do without, as in a browser that has none. It runs in each frame before anything of the page. */
const NO_SERVICE_WORKERS = "delete Navigator.prototype.serviceWorker";

export interface Visit {
  readonly node: NodeHost;
  readonly document: Fetched;
  /** Absent: to every host. */
  readonly permits: Permits | undefined;
}

/** Rejects if the page cannot be had from the browser, also because that one ends meanwhile. */
export async function renderIn(
  running: RunningBrowser,
  { node, document, permits }: Visit,
  signal: AbortSignal,
): Promise<Rendered> {
  const proxy = await node.network.openProxy({ maxBytes: MAX_LOADED_BYTES, permits });
  try {
    const context = await openContext(running, proxy.url);
    try {
      const { remarks, ...page } = await readIn({ context, proxy, clock: node.clock }, document, signal);
      return { ...page, remarks: [...remarks, ...remarkOn(proxy.refused())] };
    } finally {
      // As in `openContext`.
      await context.close().catch(running.end);
    }
  } finally {
    await proxy.close();
  }
}

/** A browser that cannot even do this is of no use to the next read. */
async function openContext({ browser, end }: RunningBrowser, proxyServer: string): Promise<BrowserContext> {
  try {
    return await browser.createBrowserContext({
      proxyServer,
      proxyBypassList: ["<-loopback>"],
      downloadBehavior: { policy: "deny" },
    });
  } catch (error) {
    await end();
    throw error;
  }
}

interface Room {
  readonly context: BrowserContext;
  readonly proxy: NetworkProxy;
  readonly clock: NodeHost["clock"];
}

async function readIn(
  { context, proxy, clock }: Room,
  document: Fetched,
  signal: AbortSignal,
): Promise<Rendered> {
  const broken = new AbortController();
  const stop = AbortSignal.any([signal, broken.signal]);
  const within = createLimit(clock, stop);

  const tab = await within(ANSWER_MS, () => openTab(context));
  if (!tab) throw new Error("The browser opened no page.");
  tab.page.once("error", () => broken.abort(new Error("The page made its part of the browser crash.")));
  await serveFirst(document, proxy, tab.session);
  const rest = await within(SETTLE_MS, (late) => settle(tab, document.url, late));
  const taken = await within(TAKE_MS, () => take(tab));
  if (!taken) throw new Error("The scripts of the page never paused.");
  checkPlace(taken);
  const remarks = [];
  if (rest === undefined) remarks.push("The page was still loading when it was read.");
  if (rest === "nearly") remarks.push("Something that the page asked for had not come when it was read.");
  if (taken.isCut) remarks.push("The page is very long, or has many frames: parts of it are left out.");
  const { url, html, frames } = taken;
  return { url, html, frames, remarks };
}

async function openTab(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  const session = await page.createCDPSession();
  await guard(page, session, context);
  const { frameTree } = await session.send("Page.getFrameTree");
  return { page, session, mainFrame: frameTree.frame.id };
}

/** What a page may not do beside loading: ask, and keep. Windows that nobody clicked for are not opened anyway. */
async function guard(page: Page, session: CDPSession, context: BrowserContext): Promise<void> {
  // It may be closed before the answer comes.
  page.on("dialog", (dialog) => void dialog.dismiss().catch(() => undefined));
  // Those that are named are granted, and all others denied.
  await session.send("Browser.grantPermissions", { permissions: [], browserContextId: context.id });
  await page.evaluateOnNewDocument(NO_SERVICE_WORKERS);
}

async function take({ session, mainFrame }: Tab): Promise<Taken> {
  for (let tries = 1; ; tries++) {
    try {
      return await takePage(session, mainFrame);
    } catch (error) {
      if (tries === MAX_TAKES) throw error;
    }
  }
}

/** The document that was fetched is worth more than an error that its scripts went on to. */
function checkPlace({ url, status }: Taken): void {
  const isPage = /^https?:/.test(url);
  if (isPage && status < 400) return;
  const answer = isPage ? `, which was answered with status ${status}` : "";
  throw new Error(`The page went on to ${url.slice(0, MAX_SHOWN_URL)}${answer}.`);
}

function remarkOn(refused: readonly string[]): readonly string[] {
  const [first, ...others] = refused;
  if (first === undefined) return [];
  const more = others.length > 0 ? ` (and ${others.length} more)` : "";
  return [`Not everything that the page asked for was let through: ${first}${more}`];
}

/** Resolves with `undefined` if the time was not enough; rejects with the reason of `stop`. The signal ends what goes on. */
function createLimit(clock: NodeHost["clock"], stop: AbortSignal) {
  return async <T>(limitMs: number, work: (over: AbortSignal) => Promise<T>): Promise<T | undefined> => {
    const done = new AbortController();
    const over = AbortSignal.any([stop, done.signal]);
    const late = clock.sleep(limitMs, over).then(() => {
      if (!done.signal.aborted) stop.throwIfAborted();
      return undefined;
    });
    try {
      return await Promise.race([work(over), late]);
    } finally {
      done.abort();
    }
  };
}
