// What tells a journal from any other, as far as it was read: the checksum of what was read of each segment, and what the segments
// after it say of it. Where nobody has touched a file since, its marks stand for it, and not even that much is read.

import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { z } from "zod";
import type { Disk } from "../../../base/files/disk.ts";
import { isFresh, markOf } from "./mark.ts";
import { readSeals, type Seals } from "./segments.ts";

const count = z.int().min(0);

export const boundSegment = z.object({
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

export type BoundSegment = z.output<typeof boundSegment>;

/** Where the segments of a log are. */
export interface SegmentFolder {
  readonly log: string;
  readonly disk: Disk;
}

/** What is there, of which nothing is read yet. */
export async function lookAt({ log, disk }: SegmentFolder): Promise<readonly BoundSegment[]> {
  const { names, seals, limits } = await readSeals(log, disk);
  return Promise.all(
    names.map(async (name, index) => ({
      ...{ name, bytes: 0, sum: 0, seal: seals.get(name) ?? null },
      ...{ limit: finite(limits[index]), mark: await lookedAt(join(log, name)) },
    })),
  );
}

/** The seals that were found. */
export function sealsIn(found: readonly BoundSegment[]): Seals {
  return {
    names: found.map(({ name }) => name),
    seals: new Map(found.flatMap(({ name, seal }) => (seal === null ? [] : [[name, seal] as const]))),
    limits: found.map(({ limit }) => limit ?? Infinity),
  };
}

/** `undefined` if there are not so many. */
export async function sumOf(
  name: string,
  bytes: number,
  { log, disk }: SegmentFolder,
): Promise<number | undefined> {
  const held = await disk.read(join(log, name), bytes);
  return held?.length === bytes ? crc32(held) : undefined;
}

/** Does the log begin with all that was read of it, and with nothing else? `last`: the newest event that was. */
export async function isStill(
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

async function lookedAt(path: string): Promise<string | null> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  return found?.isFile() && !isFresh(found) ? markOf(found) : null;
}
