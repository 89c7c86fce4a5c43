// A log in files, as far as its digest has to do with it. What was read of each segment is bound to the checksum of its bytes; where
// nobody has touched a file since, its marks stand for them, and not even that much is read.

import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { z } from "zod";
import type { Disk } from "../../../base/files/disk.ts";
import type { Event } from "../../../domain/event/event.ts";
import { createBlobs, inline } from "../../../past/log/blobs.ts";
import type { Stored } from "../../../past/log/patches.ts";
import type { DigestedLog } from "../../contract/digests/digests.ts";
import { readSeals, readSegments } from "../journal/segments.ts";
import { readFileLog } from "../log.ts";

const count = z.int().min(0);

const boundSegment = z.object({
  name: z.string(),
  /** So many of its bytes were read, and what they add up to. */
  bytes: count,
  sum: count,
  /** As `readSeals` has them; `null`: none. */
  seal: count.nullable(),
  limit: count.nullable(),
  /** Changes whenever the file does; `null`: it was changed too short a time ago to tell. */
  mark: z.string().nullable(),
});
const bindingSchema = z.array(boundSegment).min(1);

type BoundSegment = z.output<typeof boundSegment>;

/** A file that is changed twice within one step of the clock of its file system may bear the same marks. */
const STEP_MS = 2_000;

/** Where the segments of a log are. */
interface SegmentFolder {
  readonly log: string;
  readonly disk: Disk;
}

/** @param folder the agent's */
export function createDigestedLog({
  folder,
  disk,
}: {
  readonly folder: string;
  readonly disk: Disk;
}): DigestedLog {
  const place: SegmentFolder = { log: join(folder, "log"), disk };
  const blobs = createBlobs(join(folder, "blobs"), disk);
  let before: readonly BoundSegment[] = [];
  let found: readonly BoundSegment[] | undefined;
  const read = new Map<string, number>();
  return {
    async compare(binding, last) {
      found = await lookAt(place);
      const { data = [] } = bindingSchema.safeParse(binding);
      before = (await isStill(data, found, { ...place, last })) ? data : [];
      if (before.length === 0) return "other";
      return isUntouched(before, found) ? "same" : "grown";
    },
    async *events(from) {
      found ??= await lookAt(place);
      if (before.length > 0 && isUntouched(before, found)) return;
      for await (const { name, bytes, records } of readSegments<Stored<Event>>(place.log, disk, from)) {
        read.set(name, bytes);
        // A digest asks neither for what was pinned nor for state: what they were made of is not looked for.
        for (const record of records)
          if (record.seq >= from) yield record.blobs ? await inline(record, blobs) : record;
      }
    },
    all: (from) => readFileLog({ folder, disk }, from),
    async bind() {
      const bound: BoundSegment[] = [];
      for (const now of found ?? []) {
        const then = before.find(({ name }) => name === now.name);
        const bytes = read.get(now.name) ?? then?.bytes ?? 0;
        const isKnown = then?.bytes === bytes && then.mark !== null && then.mark === now.mark;
        const sum = isKnown ? then.sum : await sumOf(now.name, bytes, place);
        if (sum === undefined) return undefined;
        bound.push({ ...now, bytes, sum });
      }
      return { binding: bound, isAtRest: bound.every(({ mark }) => mark !== null) };
    },
  };
}

/** What is there, of which nothing is read yet. */
async function lookAt({ log, disk }: SegmentFolder): Promise<readonly BoundSegment[]> {
  const { names, seals, limits } = await readSeals(log, disk);
  return Promise.all(
    names.map(async (name, index) => ({
      ...{ name, bytes: 0, sum: 0, seal: seals.get(name) ?? null },
      ...{ limit: finite(limits[index]), mark: await markOf(join(log, name)) },
    })),
  );
}

/** `undefined` if there are not so many. */
async function sumOf(name: string, bytes: number, { log, disk }: SegmentFolder): Promise<number | undefined> {
  const held = await disk.read(join(log, name), bytes);
  return held?.length === bytes ? crc32(held) : undefined;
}

/** Does the log begin with all that was read of it, and with nothing else? `last`: the newest event that was. */
async function isStill(
  read: readonly BoundSegment[],
  found: readonly BoundSegment[],
  { last, ...place }: SegmentFolder & { readonly last: number },
): Promise<boolean> {
  if (read.length === 0 || read.length > found.length) return false;
  for (const [index, then] of read.entries()) {
    const now = found[index]!;
    const isNewest = index === read.length - 1;
    if (!isSamePlace(then, now, isNewest ? last : undefined)) return false;
    const isSeen = then.mark !== null && then.mark === now.mark;
    if (!isSeen && (await sumOf(then.name, then.bytes, place)) !== then.sum) return false;
  }
  return true;
}

/** Is there nothing else than what was read? */
function isUntouched(read: readonly BoundSegment[], found: readonly BoundSegment[]): boolean {
  const isKnown = read.every(({ mark }) => mark !== null);
  return isKnown && JSON.stringify(read.map(placeOf)) === JSON.stringify(found.map(placeOf));
}

/** All but how much was read. */
function placeOf({ name, seal, limit, mark }: BoundSegment): object {
  return { name, seal, limit, mark };
}

function finite(limit: number | undefined): number | null {
  return limit === undefined || limit === Infinity ? null : limit;
}

/**
 * Does what is told about a segment by those after it leave what was read of it as it is?
 *
 * @param last the newest event that was read, of the newest segment; further ones may have come since, and have sealed it
 */
function isSamePlace(then: BoundSegment, now: BoundSegment, last: number | undefined): boolean {
  if (then.name !== now.name) return false;
  const isSealedSince = then.seal === null && (now.seal ?? Infinity) >= then.bytes;
  const isLimitedSince = last !== undefined && then.limit === null && (now.limit ?? Infinity) > last;
  return (then.seal === now.seal || isSealedSince) && (then.limit === now.limit || isLimitedSince);
}

async function markOf(path: string): Promise<string | null> {
  const stat = await lstat(path, { bigint: true }).catch(() => undefined);
  if (!stat?.isFile() || Date.now() - Number(stat.mtimeMs) < STEP_MS) return null;
  return [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(":");
}
