// A log in files, as far as its digest has to do with it.

import { join } from "node:path";
import { z } from "zod";
import type { Disk } from "../../../base/files/disk.ts";
import type { Event } from "../../../domain/event/event.ts";
import { createBlobs, inline } from "../../../past/log/blobs.ts";
import type { Stored } from "../../../past/log/patches.ts";
import type { DigestedLog } from "../../contract/digests/digests.ts";
import { boundSegment, isStill, lookAt, sumOf } from "../journal/binding.ts";
import type { BoundSegment, SegmentFolder } from "../journal/binding.ts";
import { readSegments } from "../journal/segments.ts";
import { readFileLog } from "../log.ts";

const bindingSchema = z.array(boundSegment).min(1);

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

/** Is there nothing else than what was read? */
function isUntouched(read: readonly BoundSegment[], found: readonly BoundSegment[]): boolean {
  const isKnown = read.every(({ mark }) => mark !== null);
  return isKnown && JSON.stringify(read.map(placeOf)) === JSON.stringify(found.map(placeOf));
}

/** All but how much was read. */
function placeOf({ name, seal, limit, mark }: BoundSegment): object {
  return { name, seal, limit, mark };
}
