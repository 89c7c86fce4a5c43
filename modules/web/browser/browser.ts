// The one browser of this process, for all agents.
//
//   Z1. It starts with the first read, ends when none has come for a while, and starts anew for the next.
//   Z2. A read that the browser's end interrupts is tried once more, in the next browser.
//   Z3. Only so many reads are under way; others wait in line.
//   Z4. After `close` nothing of it is left.

import type { NodeHost } from "../../../src/domain/authoring/host.ts";
import type { Fetched, Permits, Rendered } from "../document.ts";
import { IDLE_MS, MAX_PAGES } from "./limits.ts";
import { startBrowser, type RunningBrowser } from "./process.ts";
import { renderIn } from "./render.ts";
import { createSlots } from "./slots.ts";

export interface Browser {
  /**
   * Opens the page and takes it when it is at rest, or at the latest when its time is over. Rejects, with one sentence, if
   * there is no way to get it: the document can still be read as it was fetched. Rejects with the reason of `signal`. What the
   * page asks for is loaded where `permits` does not say no.
   */
  render(document: Fetched, signal: AbortSignal, permits?: Permits): Promise<Rendered>;
  /** Ends it, whatever it does. */
  close(): Promise<void>;
}

export interface BrowserOptions {
  /** A Chrome or Chromium. */
  readonly executable: string;
  /** How many pages are open at once; default 4. */
  readonly maxPages?: number;
}

/** Starts nothing yet. */
export function createBrowser(node: NodeHost, { executable, maxPages = MAX_PAGES }: BrowserOptions): Browser {
  const slots = createSlots(maxPages);
  const keeper = keepOne(() => startBrowser(executable, node));
  const closed = new AbortController();
  let reads = 0;
  let idling = new AbortController();

  async function read(
    document: Fetched,
    signal: AbortSignal,
    permits: Permits | undefined,
  ): Promise<Rendered> {
    const visit = { node, document, permits };
    const running = await keeper.get();
    try {
      return await renderIn(running, visit, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (running.browser.connected) throw error;
    }
    return renderIn(await keeper.get(), visit, signal);
  }

  async function idle(): Promise<void> {
    const { signal } = (idling = new AbortController());
    await node.clock.sleep(IDLE_MS, signal);
    if (!signal.aborted) await keeper.end();
  }

  return {
    async render(document, signal, permits) {
      const stop = AbortSignal.any([signal, closed.signal]);
      const leave = await slots.take(stop);
      idling.abort();
      reads++;
      try {
        return await read(document, stop, permits);
      } finally {
        leave();
        if (--reads === 0 && !closed.signal.aborted) void idle();
      }
    },
    async close() {
      closed.abort(new Error("The browser is closed."));
      idling.abort();
      await keeper.end();
    },
  };
}

/** One browser at a time. */
interface BrowserKeeper {
  /** Starts it if there is none that works; rejects if it does not start. */
  get(): Promise<RunningBrowser>;
  /** Resolves when nothing is left of any. */
  end(): Promise<void>;
}

function keepOne(start: () => Promise<RunningBrowser>): BrowserKeeper {
  const notGone = new Set<Promise<RunningBrowser>>();
  let current: Promise<RunningBrowser> | undefined;

  function begin(): Promise<RunningBrowser> {
    const starting = start();
    const forget = () => {
      notGone.delete(starting);
      if (current === starting) current = undefined;
    };
    notGone.add(starting);
    starting.then(({ gone }) => gone).then(forget, forget);
    return (current = starting);
  }

  return {
    async get() {
      for (;;) {
        const mine = current ?? begin();
        const running = await mine;
        if (running.browser.connected) return running;
        // It is going down, and has not told yet that it has gone.
        if (current === mine) current = undefined;
        await running.end();
      }
    },
    async end() {
      current = undefined;
      await Promise.all([...notGone].map((starting) => starting.then((running) => running.end(), ignore)));
    },
  };
}

/** It did not start, and whoever wanted it knows. */
function ignore(): void {}
