// Splits what a log adds up to: each event's part of it is counted to one of several. The parts are what the ledger itself
// gained, so together they are what it says.

import type { Event } from "../../domain/event/event.ts";
import { account, createLedger } from "../ledger.ts";
import { NOTHING, add, spentOf, subtract, type Spent } from "../limits/spending.ts";

export interface Shares<K> {
  /** Takes one event into account. Events come in the order of the log. */
  see(event: Event): void;
  /** What each has come to; those that came to nothing may be missing. */
  readonly parts: ReadonlyMap<K, Spent>;
}

/** @param keyOf says to whom an event counts; called once for each, in their order */
export function createShares<K>(keyOf: (event: Event) => K): Shares<K> {
  const ledger = createLedger();
  const parts = new Map<K, Spent>();
  let before = NOTHING;
  return {
    parts,
    see(event) {
      account(ledger, event);
      const key = keyOf(event);
      const now = spentOf(ledger);
      // What stands before it is another agent's past.
      if (event.kind === "branch" && event.origin !== undefined) parts.clear();
      else if (!isSame(now, before)) parts.set(key, add(parts.get(key) ?? NOTHING, subtract(now, before)));
      before = now;
    },
  };
}

function isSame(a: Spent, b: Spent): boolean {
  return a.steps === b.steps && a.tokens === b.tokens && a.cost === b.cost && a.timeMs === b.timeMs;
}
