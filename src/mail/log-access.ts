// Adding to a log that somebody else may add to as well: one at a time, or two would give out the same numbers.

import type { Memory } from "../past/past.ts";
import type { Outbox } from "./outbox.ts";

/** An agent's log, and what delivers the messages in it. */
export interface Writing {
  readonly memory: Memory;
  readonly outbox: Outbox;
}

export interface Writer {
  /** Runs `work` while nobody else writes to the log. */
  alone<T>(work: (log: Writing) => Promise<T>): Promise<T>;
}

/** Runs one piece of work at a time, in the order of the calls. */
export function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** A log that failed goes on behind what it acknowledged. Rejects with STORAGE while it cannot. */
export async function mend(memory: Pick<Memory, "isDead" | "reopen">): Promise<void> {
  if (memory.isDead()) await memory.reopen();
}
