// What a process can be asked to measure of itself: while nobody listens nothing is, and what is measured is told to nobody.

import { channel, type Channel } from "node:diagnostics_channel";

/** Told how long each took to be as durable as promised, in milliseconds. */
export const COMMITS = channel("ai-legion:commit");

/** Told each time that the right to run an agent is in doubt, or gone, though nobody gave it back: a `LeaseTrouble`. */
export const LEASES = channel("ai-legion:lease");

/**
 * `late`: it was not renewed in time. `taken`: another process took it over. `restarted`: Redis was. `unsaid`: Redis did not
 * answer a renewal, which alone decides nothing. `log`: the log could not be written.
 */
export const LEASE_TROUBLES = ["late", "taken", "restarted", "unsaid", "log"] as const;

export type LeaseTrouble = (typeof LEASE_TROUBLES)[number];

/** Does `work`, and tells how long it took if anybody wants to know. */
export function timed<T>(told: Channel, work: () => Promise<T>): Promise<T> {
  if (!told.hasSubscribers) return work();
  const began = performance.now();
  return work().finally(() => told.publish(performance.now() - began));
}

export function tellTrouble(trouble: LeaseTrouble): void {
  LEASES.publish(trouble);
}
