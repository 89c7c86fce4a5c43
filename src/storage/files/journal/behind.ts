// The end of a segment, from about a record on: whoever reads on does not read what it has read. Numbers ascend in a segment.

import type { Disk } from "../../../base/files/disk.ts";
import { fromLine } from "../../folder/line.ts";

const NEWLINE = 10;
/** So much of a segment's end is read first, in bytes; then this many times as much. */
const TAIL = 65_536;
const MORE = 8;

interface SegmentPart {
  readonly bytes: Buffer;
  /** Where it begins in the segment. */
  readonly offset: number;
}

/** All that counts of a segment, mostly without what stands before record number `from`. `end`: where that ends, if anywhere. */
export async function readBehind(
  path: string,
  disk: Pick<Disk, "read" | "size">,
  { from, end }: { readonly from: number; readonly end: number | undefined },
): Promise<SegmentPart | undefined> {
  const size = from > 1 ? Math.min((await disk.size(path)) ?? 0, end ?? Infinity) : 0;
  for (let length = TAIL; length < size; length *= MORE) {
    const offset = size - length;
    const bytes = await disk.read(path, length, offset);
    const first = bytes && wholeLineIn(bytes, 1, bytes.length);
    if (first && first.seq < from)
      return behind({ bytes: bytes.subarray(first.offset), offset: offset + first.offset }, from);
  }
  const bytes = await disk.read(path, end);
  return bytes && behind({ bytes: bytes.subarray(0, end), offset: 0 }, from);
}

function behind({ bytes, offset }: SegmentPart, from: number): SegmentPart {
  const start = from > 1 ? startOf(bytes, from) : 0;
  return { bytes: bytes.subarray(start), offset: offset + start };
}

/** The last line that is whole and stands before all records from number `from` on: their numbers ascend. */
function startOf(bytes: Buffer, from: number): number {
  let [start, end] = [0, bytes.length];
  while (start < end) {
    const found = wholeLineIn(bytes, (start + end) >> 1, end);
    // Of what is damaged nobody knows the number: it is read.
    if (!found) end = (start + end) >> 1;
    else if (found.seq < from) {
      if (found.offset === start) break;
      start = found.offset;
    } else end = (start + end) >> 1;
  }
  return start;
}

/** The first one that begins from `offset` on, or with all that is before; `undefined` if none does before `end`. */
function wholeLineIn(
  bytes: Buffer,
  offset: number,
  end: number,
): { readonly offset: number; readonly seq: number } | undefined {
  let at = offset === 0 ? 0 : bytes.indexOf(NEWLINE, offset - 1) + 1;
  if (offset > 0 && at === 0) return undefined;
  while (at < end) {
    const next = bytes.indexOf(NEWLINE, at);
    if (next === -1) return undefined;
    const record = fromLine<{ readonly seq: number }>(bytes.subarray(at, next));
    if (record) return { offset: at, seq: record.seq };
    at = next + 1;
  }
  return undefined;
}
