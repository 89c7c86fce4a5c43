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

const write = z.object({
  count: z.string(),
  root: z.string(),
  n: z.int(),
  wrote: z.array(z.string()).readonly().optional(),
  ran: z.string().optional(),
});

export const writtenSchema = z.object({
  writes: z.array(write.extend({ seq: z.int() })),
  isCut: z.boolean(),
});

/** In the details of an `undone` notice: what was put back, workspace by workspace. */
const undone = z.object({ wrote: z.array(write.required({ wrote: true }).omit({ ran: true })).readonly() });

export type UndoWrites = z.output<typeof undone>["wrote"];

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
      for (const { count, root, n, wrote, ran } of writesIn(event)) {
        const what = { ...(wrote && { wrote }), ...(ran !== undefined && { ran }) };
        writes.push({ count, root, n, seq: event.seq, ...what });
      }
      if (writes.length <= MAX_WRITES) return;
      isCut = true;
      writes.splice(0, writes.length - MAX_WRITES);
    },
    pack: (): PackedWritten => ({ writes: [...writes], isCut }),
  };
}

function writesIn(event: Event): readonly Omit<KnownWrite, "seq">[] {
  if (event.kind === "notice" && event.reason === "undone")
    return undone.safeParse(event.details).data?.wrote ?? [];
  const touched = event.kind === "result" ? event.touched : undefined;
  return touched?.n !== undefined && mayHaveWritten(touched) ? [{ ...touched, n: touched.n }] : [];
}
