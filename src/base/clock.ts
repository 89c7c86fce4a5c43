// One clock for all actors of the process: due times on a shared timeline and a single timer for the earliest of them.
// Nobody waiting means no timer. Of many that are due at once each is woken in a turn of its own: what it does first is done
// before the next one begins, and not at the end of what all of them do.

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Resolves at the next multiple of `tickMs` since the first beat, so that all actors of one tick decide on the same beat,
   * whoever has waited longest first; the first one itself, and with 0 every one, at the next turn of the event loop. Resolves
   * at once when `signal` aborts.
   */
  beat(tickMs: number, signal: AbortSignal): Promise<void>;
  /** Resolves after `ms`, or when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

interface Waiter {
  readonly dueMs: number;
  readonly wake: () => void;
}

/** What setTimeout can wait for. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function createClock(): Clock {
  const waiters = new Set<Waiter>();
  const wakeInTurns = createWaking();
  let timer: NodeJS.Timeout | undefined;
  let armedFor = Infinity;
  let firstBeatMs: number | undefined;

  const arm = (): void => {
    let earliest = Infinity;
    for (const { dueMs } of waiters) earliest = Math.min(earliest, dueMs);
    if (earliest === armedFor) return;
    clearTimeout(timer);
    armedFor = earliest;
    const waitMs = Math.ceil(Math.max(0, earliest - performance.now()));
    timer = earliest === Infinity ? undefined : setTimeout(ring, Math.min(waitMs, MAX_TIMER_MS));
  };
  const ring = (): void => {
    armedFor = Infinity;
    const now = performance.now();
    const due = [...waiters].filter(({ dueMs }) => dueMs <= now).sort((a, b) => a.dueMs - b.dueMs);
    for (const waiter of due) waiters.delete(waiter);
    wakeInTurns(due);
    arm();
  };
  const waitUntil = (dueMs: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = (): void => {
        waiters.delete(waiter);
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        wake();
        // The timer may ring for nobody; it must not keep the process alive for nobody.
        if (waiters.size === 0) arm();
      };
      const waiter = { dueMs, wake };
      waiters.add(waiter);
      signal.addEventListener("abort", leave, { once: true });
      if (dueMs < armedFor) arm();
    });
  return {
    now: () => Date.now(),
    beat(tickMs, signal) {
      const now = performance.now();
      const isFirst = firstBeatMs === undefined;
      firstBeatMs ??= now;
      if (tickMs <= 0 || isFirst) return new Promise((resolve) => setImmediate(resolve));
      const beats = Math.floor((now - firstBeatMs) / tickMs) + 1;
      return waitUntil(firstBeatMs + beats * tickMs, signal);
    },
    sleep: (ms, signal) => waitUntil(performance.now() + ms, signal),
  };
}

/** Wakes one waiter a turn, after those that are to be woken already. */
function createWaking(): (due: readonly Waiter[]) => void {
  const waking: Waiter[] = [];
  const wakeNext = (): void => {
    waking.shift()?.wake();
    if (waking.length > 0) setImmediate(wakeNext);
  };
  return (due) => {
    const isUnderWay = waking.length > 0;
    waking.push(...due);
    if (!isUnderWay) wakeNext();
  };
}
