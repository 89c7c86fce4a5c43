// What an agent's calls wrote, or may have, as their results tell, whatever the branch: for whoever asks later whether another result
// still holds.

import { z } from "zod";
import type { Event } from "../../domain/event/event.ts";
import type { Touched } from "../../domain/event/touched.ts";
import { mayHaveWritten } from "./stale.ts";

/** A write as its own log tells of it. */
export interface KnownWrite extends Pick<Touched, "count" | "root" | "wrote" | "ran"> {
  readonly n: number;
  /** Of the result. */
  readonly seq: number;
}

export interface WrittenByAgent {
  /** The newest, oldest first. */
  readonly writes: readonly KnownWrite[];
  /** Are there earlier ones? */
  readonly isCut: boolean;
}

const MAX_WRITES = 1_000;

export const writtenSchema = z.object({
  writes: z.array(
    z.object({
      count: z.string(),
      root: z.string(),
      n: z.int(),
      seq: z.int(),
      wrote: z.array(z.string()).readonly().optional(),
      ran: z.string().optional(),
    }),
  ),
  isCut: z.boolean(),
});

type PackedWritten = z.output<typeof writtenSchema>;

export function createWritten(kept?: PackedWritten) {
  const writes: KnownWrite[] = [...(kept?.writes ?? [])];
  let isCut = kept?.isCut ?? false;
  return {
    get written(): WrittenByAgent {
      return { writes, isCut };
    },
    see(event: Event): void {
      // What stands before it is another agent's past, and told of in that one's log.
      if (event.kind === "branch" && event.origin !== undefined) writes.length = 0;
      const touched = event.kind === "result" ? event.touched : undefined;
      if (!touched || touched.n === undefined || !mayHaveWritten(touched)) return;
      const { count, root, n, wrote, ran } = touched;
      writes.push({
        count,
        root,
        n,
        seq: event.seq,
        ...(wrote && { wrote }),
        ...(ran !== undefined && { ran }),
      });
      if (writes.length <= MAX_WRITES) return;
      writes.shift();
      isCut = true;
    },
    pack: (): PackedWritten => ({ writes: [...writes], isCut }),
  };
}
