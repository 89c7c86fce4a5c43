// One limiter for all agents of a process. Each provider has a lane: so many calls at once, first come first served,
// and when the provider asks for patience everybody in the lane waits.
//
//   N1. Never more calls at a provider than its `concurrency`; who waits longest is next.
//   N2. A provider that asks for patience is left alone by all agents until the wait is over.
//   N3. Only MODEL_BUSY is tried again: as often as the provider itself asks for it, `tries` times in all if it broke.
//   N4. Whoever leaves, for whatever reason, gives the place free at once.
//   N5. A provider that is down is left alone by all agents; after a while one of them tries for all.

import { createCircuit, type Circuit, type Try } from "./circuit.ts";
import { isLegionError, type LegionError } from "../../base/errors.ts";
import { linkSignals, type Stops } from "../../base/process/signals.ts";

export interface ProviderWait {
  /** What the provider said; one line. */
  readonly reason: string;
  readonly waitMs: number;
}

export interface LimitedCall extends Stops {
  readonly provider: string;
  /** Told before each wait for the provider, whoever made it necessary. */
  onWait?(wait: ProviderWait): void;
}

export interface Limiter {
  /** Runs `attempt` in the lane of its provider. Rejects with its last error, or with the reason of a signal. */
  run<T>(call: LimitedCall, attempt: () => Promise<T>): Promise<T>;
}

export interface LimiterOptions {
  readonly clock: {
    /** Milliseconds. */
    now(): number;
    /** Resolves after `ms`, or when `signal` aborts. */
    sleep(ms: number, signal: AbortSignal): Promise<void>;
  };
  /** How many calls may run at this provider at once. Where it gives nothing: 8. */
  readonly concurrency?: (provider: string) => number | undefined;
  /** How often a call that broke is tried in all. Default 3. */
  readonly tries?: number;
  /** From 0 to 1. Default `Math.random`. */
  readonly random?: () => number;
  /** Told once when a provider seems to be down, with what it said, and once, without, when it answers again. */
  readonly onOutage?: (provider: string, reason?: string) => void;
}

/** The longest that a provider's own wish is heeded. */
const MAX_RETRY_AFTER_MS = 300_000;
const FIRST_BACKOFF_MS = 1_000;
/** After so many tries of one call every pause is at least a second: what was refused is free, so no limit ends a rush. */
const HURRIED_TRIES = 8;
const MAX_BACKOFF_MS = 60_000;
const CONCURRENCY = 8;

export function createLimiter(options: LimiterOptions): Limiter {
  const { clock, concurrency, tries = 3, random = Math.random, onOutage } = options;
  const lanes = new Map<string, Lane>();
  const laneOf = (provider: string): Lane => {
    let lane = lanes.get(provider);
    if (!lane) lanes.set(provider, (lane = createLane(concurrency?.(provider) ?? CONCURRENCY)));
    return lane;
  };
  /** Full jitter, so that processes that share a key do not come back together. */
  const backoff = (attempt: number): number =>
    Math.round(random() * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1)));
  return {
    async run({ provider, signal, patience = signal, onWait }, attempt) {
      const lane = laneOf(provider);
      const waiting = linkSignals(signal, patience);
      const insist = async (): ReturnType<typeof attempt> => {
        let broken = 0;
        for (let number = 1; ; number++) {
          const right = await turn(lane, clock, { signal: waiting.signal, onWait });
          const ended = (error?: unknown): void => {
            if (report(lane, right, clock.now(), error))
              onOutage?.(provider, hasBroken(error) ? error.message : undefined);
          };
          try {
            const answer = await attempt();
            ended();
            return answer;
          } catch (error) {
            ended(signal.aborted ? signal.reason : error);
            signal.throwIfAborted();
            if (!isLegionError(error, "MODEL_BUSY") || (hasBroken(error) && ++broken >= tries)) throw error;
            const least = number > HURRIED_TRIES ? FIRST_BACKOFF_MS : 0;
            const forMs = Math.max(askedFor(error) || backoff(number), least);
            lane.pause({ fromMs: clock.now(), forMs, reason: error.message });
          }
        }
      };
      return lane.within(waiting.signal, insist).finally(waiting.unlink);
    },
  };
}

/** Resolves when the provider may be asked, with the right to try for all if it is down; rejects when `signal` aborts. */
async function turn(
  lane: Lane,
  clock: LimiterOptions["clock"],
  { signal, onWait }: Pick<LimitedCall, "signal" | "onWait">,
): Promise<Try | undefined> {
  for (let told = 0; ;) {
    signal.throwIfAborted();
    const waitMs = lane.waitMs(clock.now());
    if (waitMs > 0) {
      if (told < lane.pausedUntil) onWait?.({ reason: lane.reason, waitMs });
      told = lane.pausedUntil;
      await clock.sleep(waitMs, signal);
    } else {
      if (!lane.circuit.isOpen) return undefined;
      const right = lane.circuit.takeTry();
      if (right) return right;
      await happens(signal, lane.circuit.onTried);
    }
  }
}

/** Lets everybody in the lane know what came of a call; true if the provider went down or came back with it. */
function report({ circuit, pause }: Lane, right: Try | undefined, nowMs: number, error?: unknown): boolean {
  const wasOpen = circuit.isOpen;
  if (hasBroken(error)) pause({ fromMs: nowMs, forMs: circuit.broke(nowMs, right), reason: error.message });
  else if (isAnswer(error)) circuit.answered();
  else circuit.left(right);
  return wasOpen !== circuit.isOpen;
}

/** Resolves when what `subscribe` waits for happens; rejects with the reason of `signal` if that aborts first. */
function happens(signal: AbortSignal, subscribe: (then: () => void) => () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = subscribe(() => {
      signal.removeEventListener("abort", giveUp);
      resolve();
    });
    const giveUp = (): void => {
      leave();
      // The reason is whatever the caller aborted with.
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", giveUp, { once: true });
  });
}

/** The provider did not ask for patience: it, or the way to it, broke. */
function hasBroken(error: unknown): error is LegionError {
  return isLegionError(error, "MODEL_BUSY") && error.retryAfterMs === undefined;
}

/** Did the provider say this? Without an error: yes. */
function isAnswer(error: unknown): boolean {
  const codes = ["MODEL_BUSY", "MODEL_REFUSED", "CONTEXT_OVERFLOW"] as const;
  return error === undefined || codes.some((code) => isLegionError(error, code));
}

function askedFor({ retryAfterMs = 0 }: LegionError): number {
  return Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
}

interface Pause {
  readonly fromMs: number;
  readonly forMs: number;
  readonly reason: string;
}

interface Lane {
  readonly pausedUntil: number;
  /** How long everybody has to wait from now on; a clock that was set back ends every wait. */
  waitMs(nowMs: number): number;
  /** Why it is paused. */
  readonly reason: string;
  readonly circuit: Circuit;
  /** Does nothing while a longer pause lasts. */
  pause(pause: Pause): void;
  /** Runs `work` as soon as there is a place; rejects with the signal's reason if that aborts first. */
  within<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

function createLane(places: number): Lane {
  let free = places;
  let paused: Pause = { fromMs: 0, forMs: 0, reason: "" };
  const untilMs = ({ fromMs, forMs }: Pause): number => fromMs + forMs;
  const queue = new Set<() => void>();
  const enter = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (free > 0) {
      free--;
      return;
    }
    await happens(signal, (admit) => {
      queue.add(admit);
      return () => queue.delete(admit);
    });
  };
  const leave = (): void => {
    const [next] = queue;
    if (next === undefined) free++;
    else {
      queue.delete(next);
      next();
    }
  };
  return {
    circuit: createCircuit(),
    get pausedUntil() {
      return untilMs(paused);
    },
    get reason() {
      return paused.reason;
    },
    waitMs: (nowMs) => (nowMs < paused.fromMs ? 0 : untilMs(paused) - nowMs),
    pause(pause) {
      if (pause.fromMs < paused.fromMs || untilMs(pause) > untilMs(paused)) paused = pause;
    },
    async within(signal, work) {
      await enter(signal);
      return work().finally(leave);
    },
  };
}
