import type { RunningBrowser } from "./process.ts";

/** One browser at a time. */
export interface BrowserKeeper {
  /** Starts it if there is none that works; rejects if it does not start. */
  get(): Promise<RunningBrowser>;
  /** Resolves when nothing is left of any. */
  end(): Promise<void>;
}

export function keepOne(start: () => Promise<RunningBrowser>): BrowserKeeper {
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
