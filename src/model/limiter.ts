// One limiter for all agents of a process. Each provider has a lane: so many calls at once, first come first served,
// and when the provider asks for patience everybody in the lane waits.
//
//   N1. Never more calls at a provider than `concurrency`; who waits longest is next.
//   N2. A provider that asks for patience is left alone by all agents until the wait is over.
//   N3. Only MODEL_BUSY is tried again: as often as the provider itself asks for it, `tries` times in all if it broke.
//   N4. Whoever leaves, for whatever reason, gives the place free at once.

import { isLegionError, type LegionError } from "../errors.ts";

export interface Retry {
  /** What the provider said; one line. */
  readonly reason: string;
  readonly waitMs: number;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
}

export interface LimitedCall {
  readonly provider: string;
  readonly signal: AbortSignal;
  /** Awaited before each attempt, in the lane. What it throws ends the call. */
  before?(attempt: number): void | Promise<void>;
  /** Told before each wait. */
  onRetry?(retry: Retry): void;
}

export interface Limiter {
  /** Runs `attempt` in the lane of its provider. Rejects with its last error, or with the signal's reason. */
  run<T>(call: LimitedCall, attempt: (attempt: number) => Promise<T>): Promise<T>;
}

export interface LimiterOptions {
  readonly clock: {
    /** Milliseconds. */
    now(): number;
    /** Resolves after `ms`, or when `signal` aborts. */
    sleep(ms: number, signal: AbortSignal): Promise<void>;
  };
  /** Calls at one provider at once. Default 8. */
  readonly concurrency?: number;
  /** How often a call that broke is tried in all. Default 3. */
  readonly tries?: number;
  /** From 0 to 1. Default `Math.random`. */
  readonly random?: () => number;
}

/** The longest that a provider's own wish is heeded. */
const MAX_RETRY_AFTER_MS = 300_000;
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

export function createLimiter(options: LimiterOptions): Limiter {
  const { clock, concurrency = 8, tries = 3, random = Math.random } = options;
  const lanes = new Map<string, Lane>();
  const laneOf = (provider: string): Lane => {
    let lane = lanes.get(provider);
    if (!lane) lanes.set(provider, (lane = createLane(concurrency)));
    return lane;
  };
  /** Full jitter, so that processes that share a key do not come back together. */
  const backoff = (attempt: number): number =>
    Math.round(random() * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1)));

  return {
    async run({ provider, signal, before, onRetry }, attempt) {
      const lane = laneOf(provider);
      await lane.enter(signal);
      try {
        let broken = 0;
        for (let number = 1; ; number++) {
          while (clock.now() < lane.pausedUntil) {
            await clock.sleep(lane.pausedUntil - clock.now(), signal);
            signal.throwIfAborted();
          }
          signal.throwIfAborted();
          await before?.(number);
          try {
            return await attempt(number);
          } catch (error) {
            signal.throwIfAborted();
            if (!isLegionError(error, "MODEL_BUSY")) throw error;
            if (error.retryAfterMs === undefined && ++broken >= tries) throw error;
            const waitMs = askedFor(error) || backoff(number);
            lane.pausedUntil = Math.max(lane.pausedUntil, clock.now() + waitMs);
            onRetry?.({ reason: error.message, waitMs, attempt: number });
          }
        }
      } finally {
        lane.leave();
      }
    },
  };
}

function askedFor({ retryAfterMs = 0 }: LegionError): number {
  return Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
}

interface Lane {
  pausedUntil: number;
  /** Resolves when there is a place; each needs its `leave`. Rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<void>;
  leave(): void;
}

function createLane(places: number): Lane {
  let free = places;
  const queue = new Set<() => void>();
  return {
    pausedUntil: 0,
    async enter(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free--;
        return;
      }
      await new Promise<void>((resolve, reject) => {
        const admit = (): void => {
          queue.delete(admit);
          signal.removeEventListener("abort", giveUp);
          resolve();
        };
        const giveUp = (): void => {
          queue.delete(admit);
          // The reason is whatever the caller aborted with.
          reject(signal.reason as Error);
        };
        queue.add(admit);
        signal.addEventListener("abort", giveUp, { once: true });
      });
    },
    leave() {
      const [next] = queue;
      if (next) next();
      else free++;
    },
  };
}
