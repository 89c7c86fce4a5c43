import type { Clock } from "../base/clock.ts";

/**
 * A clock that stands still until it is moved by hand.
 *
 * @example
 * const clock = createHandClock();
 * const legion = await openTestLegion([{ error: { code: "MODEL_BUSY" } }, "Here."], { clock });
 * const answer = (await legion.spawn()).prompt("Hi.");
 * await clock.asleep();
 * clock.advance(60_000);
 */
export interface HandClock extends Clock {
  /** Milliseconds that each sleeper still waits, shortest first. */
  sleeping(): readonly number[];
  /** Moves on and wakes whoever is due. */
  advance(ms: number): void;
  /** Resolves when somebody sleeps who has at least `ms` to wait; returns how long. */
  asleep(ms?: number): Promise<number>;
}

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
}

/** Begins at 2026-01-01T00:00:00.000Z. */
export function createHandClock(): HandClock {
  let nowMs = Date.parse("2026-01-01T00:00:00.000Z");
  const sleepers = new Set<Sleeper>();
  const watching: (() => void)[] = [];
  const sleepUntil = (dueMs: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = (): void => {
        sleepers.delete(sleeper);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper = { dueMs, wake };
      sleepers.add(sleeper);
      signal.addEventListener("abort", wake, { once: true });
      for (const tell of watching.splice(0)) tell();
    });
  const sleeping = (): number[] => [...sleepers].map(({ dueMs }) => dueMs - nowMs).sort((a, b) => a - b);
  return {
    now: () => nowMs,
    beat(tickMs, signal) {
      if (tickMs <= 0) return new Promise((resolve) => setImmediate(resolve));
      return sleepUntil((Math.floor(nowMs / tickMs) + 1) * tickMs, signal);
    },
    sleep: (ms, signal) => sleepUntil(nowMs + ms, signal),
    sleeping,
    advance(ms) {
      nowMs += ms;
      for (const { dueMs, wake } of [...sleepers]) if (dueMs <= nowMs) wake();
    },
    async asleep(ms = 0) {
      for (;;) {
        const found = sleeping().find((left) => left >= ms);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => watching.push(resolve));
      }
    },
  };
}
