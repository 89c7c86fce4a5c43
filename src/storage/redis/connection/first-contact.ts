import { setTimeout as delay } from "node:timers/promises";
import type { RedisAddress } from "./address.ts";
import { mayPass } from "./faults.ts";
import { openLink, type Link, type LinkOptions } from "./link.ts";

export interface ReachOptions extends LinkOptions {
  /** Nothing is tried any more after this time; default 30 s. */
  readonly patienceMs?: number;
  /** Why the last try failed. Called before each pause. */
  readonly onRetry?: (reason: string) => void;
  /** Ends the trying; then it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

const PATIENCE_MS = 30_000;
const PAUSE_MS = 1_000;

/**
 * Like `openLink`, with another try every second while what is wrong may pass: nothing listens there yet, data is being
 * loaded, a failover is under way. Rejects at once for what only a person can mend.
 */
export async function reachRedis(address: RedisAddress, options: ReachOptions = {}): Promise<Link> {
  const { patienceMs = PATIENCE_MS, onRetry, signal } = options;
  const endsAt = performance.now() + patienceMs;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await openLink(address, options);
    } catch (error) {
      if (!(error instanceof Error) || !mayPass(error) || performance.now() + PAUSE_MS > endsAt) throw error;
      onRetry?.(error.message);
    }
    await delay(PAUSE_MS, undefined, { signal }).catch(() => "aborted");
  }
}
