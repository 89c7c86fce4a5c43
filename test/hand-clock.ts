import type { Clock } from "../src/clock.ts";

export interface HandClock extends Clock {
  /** How long each sleeper that still sleeps asked for, in the order of the calls. */
  readonly sleeping: readonly number[];
  /** Resolves when somebody sleeps; at once if somebody does already. */
  untilSleep(): Promise<void>;
  /** Wakes everybody. */
  wake(): void;
}

/** A clock that stands still until it is told. */
export function createHandClock(): HandClock {
  const sleepers = new Set<{ readonly ms: number; readonly wake: () => void }>();
  let noticed: (() => void)[] = [];
  const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = (): void => {
        sleepers.delete(sleeper);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper = { ms, wake };
      sleepers.add(sleeper);
      signal.addEventListener("abort", wake);
      for (const notice of noticed.splice(0)) notice();
    });
  return {
    get sleeping() {
      return [...sleepers].map(({ ms }) => ms);
    },
    now: () => 0,
    beat: () => new Promise((resolve) => setImmediate(resolve)),
    sleep,
    untilSleep: () =>
      new Promise((resolve) => {
        if (sleepers.size > 0) resolve();
        else noticed.push(resolve);
      }),
    wake() {
      for (const { wake } of [...sleepers]) wake();
    },
  };
}
