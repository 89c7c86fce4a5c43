// To which model call an event belongs: what it came to, and the work that it led to.

import type { Event, EventOf } from "../../domain/event/event.ts";

/** As `pack` of followed calls has it. */
export interface PackedCalls<K> {
  /** Of the agent itself under `null`. */
  readonly newest: [call: string | null, of: K][];
  readonly begun: [seq: number, of: K][];
}

/**
 * A fold that says for each event, in their order, what is known of its call.
 *
 * @param keyOf what is known of a call that begins
 */
export function followCalls<K>(keyOf: (event: EventOf<"prompted">) => K, kept?: PackedCalls<K>) {
  /** Of the newest call of the agent itself (`null`), and of each action. */
  const newest = new Map<string | null, K>(kept?.newest);
  /** Of the calls that may still be refused, by the events that began them. */
  const begun = new Map<number, K>(kept?.begun);
  return {
    /** `undefined` where no call was begun. */
    see(event: Event): K | undefined {
      if (event.kind === "prompted") {
        const key = keyOf(event);
        newest.set(event.call ?? null, key);
        begun.set(event.seq, key);
        return key;
      }
      if (event.kind === "refused") return begun.get(event.prompted);
      if (event.kind === "result" && event.call !== null && newest.has(event.call)) {
        const key = newest.get(event.call);
        newest.delete(event.call);
        return key;
      }
      if (event.kind === "decision" || event.kind === "summary") begun.clear();
      return newest.get(null);
    },
    /** The agent goes on without a model. */
    leave(key: K): void {
      newest.set(null, key);
    },
    pack: (): PackedCalls<K> => ({ newest: [...newest], begun: [...begun] }),
  };
}
