import type { Inspect } from "../../../domain/inspection.ts";

/** Sees what happens in a legion, and is told what a person should know besides. */
export interface Watcher {
  readonly see: Inspect;
  /** What has a topic is worth to be kept as well. */
  tell(text: string, topic?: "redis" | "model"): void;
}

export interface EarlyWatcher extends Watcher {
  /** Passes on to `watcher` what has happened so far, and everything from now on. */
  release(watcher: Watcher): void;
}

/** Keeps what happens until somebody watches. */
export function createEarlyWatcher(): EarlyWatcher {
  const held: ((watcher: Watcher) => void)[] = [];
  let pass = (show: (watcher: Watcher) => void): void => void held.push(show);
  return {
    see: (inspection) => pass((watcher) => watcher.see(inspection)),
    tell: (text, topic) => pass((watcher) => watcher.tell(text, topic)),
    release(watcher) {
      for (const show of held) show(watcher);
      pass = (show) => show(watcher);
    },
  };
}
