const MAX_TIMER_MS = 2 ** 31 - 1;

/** What ends a request: whoever asked, or time. */
export interface Deadline {
  /** Aborts with the first of the signals, or when the time is over. */
  readonly signal: AbortSignal;
  /** From now on it may take so long, whatever was said before; `undefined`: any time. */
  within(ms: number | undefined, late: () => Error): void;
  /** Leaves nothing behind on the signals. */
  end(): void;
}

export function createDeadline(signals: readonly AbortSignal[]): Deadline {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const leave = () => controller.abort(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) signal.addEventListener("abort", leave);
  if (signals.some(({ aborted }) => aborted)) leave();
  return {
    signal: controller.signal,
    within(ms, late) {
      clearTimeout(timer);
      if (ms !== undefined) timer = setTimeout(() => controller.abort(late()), Math.min(ms, MAX_TIMER_MS));
    },
    end() {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", leave);
    },
  };
}
