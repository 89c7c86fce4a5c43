import { COMMITS, timed } from "../../../base/process/measured.ts";

/**
 * One flush after the other; whoever asks while one is under way shares the next one. `flush` resolves with the highest
 * sequence number that it covered, `reached` is that so far.
 */
export function shareFlushes(flush: () => Promise<number>, reached: number) {
  let flushing: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    try {
      reached = await timed(COMMITS, flush);
    } finally {
      flushing = undefined;
    }
  };
  return {
    reached: () => reached,
    /** Resolves when a flush has covered `seq`. Rejects as it did. */
    async cover(seq: number): Promise<void> {
      while (reached < seq) await (flushing ??= run());
    },
    /** Resolves when no flush is under way, whatever came of it. */
    current: async (): Promise<void> => flushing?.catch(() => undefined),
  };
}
