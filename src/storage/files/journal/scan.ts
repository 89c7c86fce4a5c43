// What counts of the bytes of one segment, record by record.

import { crc32 } from "node:zlib";
import { LegionError } from "../../../base/errors.ts";
import { isLogFormat } from "../../../domain/event/event.ts";
import { fromLine, linesIn, piecesOf } from "../../folder/line.ts";

export interface JournalRecord {
  readonly seq: number;
  readonly epoch: number;
  readonly at: string;
  readonly kind: string;
}

/** A line that is not what was written; records may have been found in it all the same. */
export interface Damage {
  readonly file: string;
  readonly offset: number;
  readonly bytes: Buffer;
}

/** Bytes of a segment. */
export interface SegmentBytes {
  readonly path: string;
  readonly bytes: Buffer;
  /** Where in the segment they begin. */
  readonly offset: number;
  /** The lowest sequence number that the segment cannot hold. */
  readonly limit: number;
}

/** What else is to be said of a segment once its records are read. */
export interface SegmentRest {
  /** Up to the end of its last record or line. */
  readonly bytes: number;
  readonly damages: readonly Damage[];
  /** How many pieces of damaged lines come after its last record. */
  readonly trailing: number;
}

const NEWLINE = 10;

/** One record at a time; at its end the rest. `last`: the number of the newest record that was read before it. */
export function* scan<R extends JournalRecord>(
  { path, bytes, offset: start, limit }: SegmentBytes,
  last: number,
): Generator<R, SegmentRest> {
  const damages: Damage[] = [];
  let newest = last;
  let trailing = 0;
  const counts = (record: R): boolean => {
    if (record.kind === "opened") refuseNewer(path, record);
    if (record.seq <= newest || record.seq >= limit) return false;
    newest = record.seq;
    trailing = 0;
    return true;
  };
  for (const [line, offset] of linesIn(bytes)) {
    const whole = fromLine<R>(line);
    if (whole) {
      if (counts(whole)) yield whole;
      continue;
    }
    damages.push({ file: path, offset: start + offset, bytes: line });
    for (const piece of piecesOf(line)) {
      const record = fromLine<R>(piece);
      if (!record) trailing++;
      else if (counts(record)) yield record;
    }
  }
  const tail = bytes.lastIndexOf(NEWLINE) + 1;
  let end = tail;
  // A torn line is nothing, and no damage; but the newline may be all that is missing of a whole one.
  for (const piece of piecesOf(bytes.subarray(tail))) {
    const record = fromLine<R>(piece);
    if (!record || !counts(record)) continue;
    end = bytes.length;
    yield record;
  }
  return { bytes: start + end, damages, trailing };
}

/** The same at once. */
export function parse<R extends JournalRecord>(
  segment: SegmentBytes,
  last: number,
): SegmentRest & { readonly records: readonly R[] } {
  const records: R[] = [];
  const reading = scan<R>(segment, last);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return { records, ...value };
    records.push(value);
  }
}

/** How much of a segment is known, and the CRC-32 of that. */
export interface SummedBytes {
  readonly bytes: number;
  readonly sum?: number | undefined;
}

/** The CRC-32 of a segment up to `end`; `undefined` where it is not known of what stands before these bytes. */
export function sumUpTo(
  end: number,
  { bytes, offset }: Pick<SegmentBytes, "bytes" | "offset">,
  known: SummedBytes = { bytes: 0, sum: 0 },
): number | undefined {
  if (known.sum === undefined || known.bytes < offset || known.bytes > end) return undefined;
  return crc32(bytes.subarray(known.bytes - offset, end - offset), known.sum);
}

/** Throws DAMAGED for an opening that a newer version wrote. */
export function refuseNewer(path: string, record: JournalRecord & { readonly format?: unknown }): void {
  if (record.kind !== "opened") return;
  // There is one format of mailboxes.
  if ("log" in record ? isLogFormat(record.format) : record.format === 1) return;
  throw new LegionError(
    "DAMAGED",
    `${path} was written by a newer version (format ${String(record.format)}).`,
  );
}
