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
import type { AgentMarks } from "./touched.ts";
import { readSegments } from "../journal/segments.ts";
import { readFileLog } from "../log.ts";

const bindingSchema = z.array(boundSegment).min(1);

interface LogFolder {
  /** The agent's. */
  readonly folder: string;
  readonly disk: Disk;
  /** Of what is there; absent: nobody has looked. */
  readonly marks?: AgentMarks | undefined;
}

export function createDigestedLog({ folder, disk, marks }: LogFolder): DigestedLog {
  const place: SegmentFolder = { log: join(folder, "log"), disk };
  const blobs = createBlobs(join(folder, "blobs"), disk);
  let before: readonly BoundSegment[] = [];
  let found: readonly BoundSegment[] | undefined;
  const read = new Map<string, number>();
  return {
    async compare(binding, last) {
      const { data = [] } = bindingSchema.safeParse(binding);
      if (marks && isAllOf(marks, data)) {
        before = found = data;
        return "same";
      }
      found = await lookAt(place);
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

/** Are these the segments that are there, as they are? */
function isAllOf(marks: AgentMarks, segments: readonly BoundSegment[]): boolean {
  const there = Object.keys(marks).filter((path) => path.startsWith("log/"));
  return (
    there.length === segments.length &&
    segments.every(({ name, mark }) => mark && marks[`log/${name}`] === mark)
  );
}

/** All but how much was read. */
function placeOf({ name, seal, limit, mark }: BoundSegment): object {
  return { name, seal, limit, mark };
}
