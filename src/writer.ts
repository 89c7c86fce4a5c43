// Adding to a log that somebody else may add to as well: one at a time, or two would give out the same numbers.

import { isLegionError } from "./errors.ts";
import type { Memory } from "./memory.ts";
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

type Run = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs work on a log; after a failure of the disk the next work goes on behind what was acknowledged. */
export function createMending({ reopen }: Pick<Memory, "reopen">): Run {
  let isBroken = false;
  return async (work) => {
    if (isBroken) await reopen();
    isBroken = false;
    return work().catch((error: unknown) => {
      isBroken = isLegionError(error, "STORAGE");
      throw error;
    });
  };
}

/** Runs one piece of work at a time, in the order of the calls. */
export function createTurns(): Run {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}
