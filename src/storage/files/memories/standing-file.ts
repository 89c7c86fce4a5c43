// How a memory stood when it was closed. Whoever opens it next goes on from there without reading it, if its files are what they
// were then; else it is read as any log is. Only a cache: it may be deleted.

import { join } from "node:path";
import { z } from "zod";
import type { Disk } from "../../../base/files/disk.ts";
import type { MemoryStanding } from "../../../past/memory/standing.ts";
import { fromLine, toLine } from "../../folder/line.ts";
import type { MemoryPaths } from "../../folder/memory-paths.ts";
import type { JournalStart } from "../journal/journal.ts";
import { readOpening, segmentNames } from "../journal/segments.ts";
import { TEXTS_FILE, type TextsEnd } from "./texts.ts";

const count = z.int().min(0);
const end = z.object({ name: z.string(), bytes: count, last: count, sealed: z.boolean() });

const schema = z.object({
  log: z.string(),
  last: count,
  at: z.string(),
  seen: z.array(z.tuple([z.string(), count])),
  heard: z.string(),
  keeper: z.string().optional(),
  contexts: z.array(count),
  entries: count,
  strays: count,
  forgottenAt: count.optional(),
  journal: z.object({ last: count, segments: z.array(end).min(1), goesOn: z.literal(true).optional() }),
  texts: z.object({ file: z.string().regex(TEXTS_FILE), bytes: count }).optional(),
  shown: count,
});

export interface Closed {
  readonly standing: MemoryStanding;
  /** As `packHeard` has it. */
  readonly heard: string;
  readonly journal: JournalStart;
  readonly texts: TextsEnd | undefined;
  /** The shard that `context.md` said last; 0 for none. */
  readonly shown: number;
}

interface StandingPlace {
  readonly paths: MemoryPaths;
  readonly disk: Disk;
}

export async function writeStanding(
  { paths, disk }: StandingPlace,
  { standing, ...closed }: Closed,
): Promise<void> {
  await disk.replace(paths.standing, toLine({ ...standing, seen: [...standing.seen], ...closed }));
}

/** `undefined` if there is none, or it is not what was written, or not of this log. There may be more in the log by now. */
export async function readStanding({ paths, disk }: StandingPlace): Promise<Closed | undefined> {
  // Nothing depends on it, whatever stands in its place.
  const line = await disk.read(paths.standing).catch(() => undefined);
  const { data } = schema.safeParse(line && fromLine(line.subarray(0, -1)));
  if (!data) return undefined;
  const { journal, texts, shown, heard, ...standing } = data;
  if (!(await isOf(journal, standing.log, { paths, disk }))) return undefined;
  return { standing: { ...standing, seen: new Map(standing.seen) }, heard, journal, texts, shown };
}

/** Is `log` what is in the place, with these segments before all others? */
async function isOf(
  { segments }: JournalStart,
  log: string,
  { paths, disk }: StandingPlace,
): Promise<boolean> {
  const names = await segmentNames(paths.log, disk);
  const { name, bytes } = segments.at(-1)!;
  if (!segments.every((segment, at) => segment.name === names[at])) return false;
  if (((await disk.size(join(paths.log, name))) ?? 0) < bytes) return false;
  const opening = await readOpening(
    join(paths.log, segments.findLast((one) => one.bytes > 0)?.name ?? name),
    disk,
  );
  return opening?.log === log;
}
