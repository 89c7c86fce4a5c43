// The first request to a model goes first: what it does not need, such as the server, is loaded when it has left.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Clock } from "../../base/clock.ts";
import { aborted, firstOf } from "../../base/process/signals.ts";
import type { Legion } from "../legion.ts";

/** Whoever looks for the node from another terminal waits no longer for it. */
const LONGEST_MS = 300;
/** Where Node tells of a request that is written as a whole. */
const SENT = "undici:request:bodySent";

/**
 * Call it when the agents know what to do. Resolves when a request has left this process, when nobody has anything to do, when
 * neither happens soon, or when `signal` aborts.
 */
export function headStart(
  { untilIdle }: Pick<Legion, "untilIdle">,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  return firstOf(signal, (over) => [hasSent(over), untilIdle(over), clock.sleep(LONGEST_MS, over)]);
}

function hasSent(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const told = (): void => resolve();
    subscribe(SENT, told);
    void aborted(signal).then(() => unsubscribe(SENT, told));
  });
}
