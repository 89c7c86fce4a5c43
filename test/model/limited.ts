// A limiter on a clock that is moved by hand, and calls that end when a test says so.

import { LegionError } from "../../src/base/errors.ts";
import { createLimiter, type LimitedCall, type LimiterOptions } from "../../src/model/limiter/limiter.ts";
import { createHandClock } from "../hand-clock.ts";

/** Everything that can happen without time passing has happened. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function busy(retryAfterMs?: number): LegionError {
  return new LegionError("MODEL_BUSY", "the provider is busy", { retryAfterMs });
}

/** An attempt that ends when the test says so. */
export function held() {
  const calls: { resolve: (value: string) => void; reject: (error: unknown) => void }[] = [];
  return {
    calls,
    attempt: () => new Promise<string>((resolve, reject) => void calls.push({ resolve, reject })),
  };
}

export function setUp(options: Partial<LimiterOptions> = {}) {
  const clock = createHandClock();
  const limiter = createLimiter({ clock, random: () => 1, ...options });
  const time = {
    sleeping: clock.sleeping,
    pass: (ms: number): Promise<void> => {
      clock.advance(ms);
      return settled();
    },
  };
  const call = (more: Partial<LimitedCall> = {}): LimitedCall => ({
    provider: "p",
    signal: new AbortController().signal,
    ...more,
  });
  return { time, limiter, call };
}
