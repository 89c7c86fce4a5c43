// What is folded from a log in files, kept beside it: counted again where the log begins with all that it was folded from.

import { z } from "zod";
import type { LogId } from "../../../domain/message/message.ts";
import type { PastFile } from "../../folder/cache/past-file.ts";
import { boundSegment, isStill, lookAt, sealsIn, type SegmentFolder } from "./binding.ts";
import type { JournalStart, SegmentEnd } from "./journal.ts";
import type { Seals } from "./segments.ts";

/** Where the log ended when it was kept. */
export interface KeptEnd {
  readonly log: LogId;
  /** The newest event. */
  readonly last: number;
  readonly segments: readonly SegmentEnd[];
}

export interface KeptJournal extends KeptEnd {
  readonly packed: Uint8Array;
}

export interface FoundJournal extends KeptJournal {
  /** Of all that is there by now. */
  readonly seals: Seals;
}

const count = z.int().min(0);
const bindingSchema = z.object({
  log: z.string(),
  last: count,
  segments: z.array(boundSegment.extend({ last: count })).min(1),
});

/**
 * `undefined` where nothing counts. Rejects as reading the folder does.
 *
 * @param end nothing behind it counts
 */
export async function findKept(
  file: Pick<PastFile, "read">,
  place: SegmentFolder,
  end?: JournalStart,
): Promise<FoundJournal | undefined> {
  const signed = await file.read();
  const { data } = bindingSchema.safeParse(signed?.binding);
  if (!signed || !data || (end && !isWithin(data, end))) return undefined;
  const { log, last } = data;
  const found = await lookAt(place);
  if (!(await isStill(data.segments, found, { ...place, last }))) return undefined;
  const segments = data.segments.map(({ name, bytes, last, sum }, index): SegmentEnd => {
    const sealed = found[index]!.seal !== null;
    return { name, bytes, last, sum, sealed };
  });
  return { log, last, segments, packed: signed.packed, seals: sealsIn(found) };
}

function isWithin({ last, segments }: KeptEnd | z.output<typeof bindingSchema>, end: JournalStart): boolean {
  const isThere = ({ name, bytes }: Pick<SegmentEnd, "name" | "bytes">, index: number): boolean =>
    end.segments[index]?.name === name && bytes <= end.segments[index].bytes;
  return last <= end.last && segments.every(isThere);
}

/** Never rejects; leaves it where anything cannot be read or written. */
export async function keep(
  file: Pick<PastFile, "write">,
  place: SegmentFolder,
  { log, last, segments, packed }: KeptJournal,
): Promise<void> {
  const found = await lookAt(place).catch(() => []);
  const bound = segments.map(({ name, bytes, sum, last }) => ({
    ...found.find((now) => now.name === name),
    ...{ bytes, sum, last },
  }));
  const { data } = bindingSchema.safeParse({ log, last, segments: bound });
  if (data) await file.write({ binding: data, packed });
}
