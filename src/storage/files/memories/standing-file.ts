// How a memory stood when it was closed. Whoever opens it next goes on from there without reading it, if its files are what they
// were then; else it is read as any log is. Only a cache: it may be deleted.

import { z } from "zod";
import type { Disk } from "../../../base/files/disk.ts";
import type { MemoryStanding } from "../../../past/memory/standing.ts";
import { fromLine, toLine } from "../../folder/line.ts";
import type { TextsEnd } from "./texts.ts";

const count = z.int().min(0);
const end = z.object({ name: z.string(), bytes: count, last: count, sealed: z.boolean() });

const schema = z.object({
  log: z.string(),
  last: count,
  at: z.string(),
  seen: z.array(z.tuple([z.string(), count])),
  keeper: z.string().optional(),
  contexts: z.array(count),
  entries: count,
  strays: count,
  segments: z.array(end).min(1),
  texts: z.object({ file: z.string(), bytes: count }).optional(),
});

export interface Closed {
  readonly standing: MemoryStanding;
  /** Of its log, oldest first. */
  readonly segments: readonly z.output<typeof end>[];
  readonly texts: TextsEnd | undefined;
}

export async function writeStanding(
  path: string,
  disk: Disk,
  { standing, segments, texts }: Closed,
): Promise<void> {
  await disk.replace(path, toLine({ ...standing, seen: [...standing.seen], segments, texts }));
}

/** `undefined` if there is none, or it is not what was written. */
export async function readStanding(path: string, disk: Pick<Disk, "read">): Promise<Closed | undefined> {
  const line = (await disk.read(path))?.subarray(0, -1);
  const { data } = schema.safeParse(line && fromLine(line));
  if (!data) return undefined;
  const { segments, texts, ...standing } = data;
  return { standing: { ...standing, seen: new Map(standing.seen) }, segments, texts };
}
