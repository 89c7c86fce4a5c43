import { setMaxListeners } from "node:events";
import { LegionError } from "../errors.ts";

/**
 * The reason of a signal that stops everything at once, as if the process had died: nothing of what it cut off is
 * logged, and the next start goes on from the log.
 */
export const SHUTDOWN = new LegionError("REFUSED", "The runtime is stopping.");

/** What ends a model call. */
export interface Stops {
  /** Aborts when the call has to end at once. */
  readonly signal: AbortSignal;
  /** Aborts when nothing new may begin: a call that waits for the provider gives up, one under way is finished. */
  readonly patience?: AbortSignal;
}

/** Resolves when `signal` has aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/**
 * A signal that aborts with the first of two longer-lived ones, for the same reason. `unlink` when it is no longer needed: unlike
 * AbortSignal.any it leaves nothing behind on them.
 */
export function linkSignals(
  a: AbortSignal,
  b: AbortSignal,
): { readonly signal: AbortSignal; readonly unlink: () => void } {
  const controller = new AbortController();
  // An action may make many calls side by side, each of which waits for it.
  setMaxListeners(0, controller.signal);
  const abort = (): void => controller.abort(a.aborted ? a.reason : b.reason);
  if (a.aborted || b.aborted) abort();
  a.addEventListener("abort", abort);
  b.addEventListener("abort", abort);
  const unlink = (): void => {
    a.removeEventListener("abort", abort);
    b.removeEventListener("abort", abort);
  };
  return { signal: controller.signal, unlink };
}

/** Resolves with the first of `waits`, and ends the others. */
export async function firstOf(
  signal: AbortSignal,
  waits: (over: AbortSignal) => readonly Promise<void>[],
): Promise<void> {
  const done = new AbortController();
  const { signal: over, unlink } = linkSignals(signal, done.signal);
  try {
    await Promise.race(waits(over));
  } finally {
    done.abort();
    unlink();
  }
}

/** Aborts with SHUTDOWN when `lost` aborts: whoever has lost the right to run an agent stops as if the process had died. */
export function asShutdown(lost: AbortSignal): ReturnType<typeof linkSignals> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(SHUTDOWN);
  if (lost.aborted) stop();
  lost.addEventListener("abort", stop, { once: true });
  return { signal: stopping.signal, unlink: () => lost.removeEventListener("abort", stop) };
}
