// What an agent takes in beside its mailbox: what is said in the logs that it observes. A backlog waits in those logs.

import type { ObservedEvent } from "../domain/event/observed.ts";

/** A2 and A5 hold for it as for mail, which comes first. */
export interface Sources {
  /** How many are known to wait; at least 1 while it may be that something does. */
  readonly waiting: number;
  /** The oldest that waits, to be committed as it is; the same one until it was `taken`. `undefined`: nothing waits. */
  next(): Promise<ObservedEvent | undefined>;
  /** It is in the log. */
  taken(event: ObservedEvent): void;
  /** Resolves when something may wait, or when `signal` aborts. */
  wait(signal: AbortSignal): Promise<void>;
  close(): void;
}
