// The log of a memory in files, read without its lock: also while another process writes to it.

import type { Disk } from "../../../base/files/disk.ts";
import type { MemoryEvent } from "../../../domain/memory/record.ts";
import { joinWords, type WordlessEvent } from "../../../past/memory/words.ts";
import type { MemoryPaths } from "../../folder/memory-paths.ts";
import type { Authorship } from "../../folder/person/authorship.ts";
import { isForeignJournal, newestOpening, readSegments, type Segment } from "../journal/segments.ts";
import { readStanding } from "./standing-file.ts";
import { createTextReader } from "./texts.ts";

export interface MemoryFolder {
  readonly paths: MemoryPaths;
  readonly disk: Disk;
}

/** Segments that hold records from number `from` on, oldest first. */
export function storedSegments(
  { paths, disk }: MemoryFolder,
  from = 1,
  ends?: ReadonlyMap<string, number>,
): AsyncIterable<Segment<WordlessEvent>> {
  return readSegments<WordlessEvent>(paths.log, disk, from, ends);
}

/**
 * Every event from number `from` on, oldest first, with its words.
 *
 * @param forgotten has no words any more, even where they are still to be erased; absent: what the log says of that
 */
export async function* readMemory(
  folder: MemoryFolder,
  from = 1,
  forgotten?: ReadonlySet<number>,
): AsyncGenerator<MemoryEvent, undefined> {
  const gone = forgotten ?? (await notYetErased(folder));
  const read = createTextReader(folder.paths.texts, folder.disk);
  for await (const { records } of storedSegments(folder, from))
    for (const record of records)
      if (record.seq >= from) {
        if (record.kind === "opened") yield record;
        else if (!("words" in record)) yield joinWords(record, undefined);
        else yield joinWords(record, gone.has(record.seq) ? undefined : await read(record.words));
      }
  return undefined;
}

/** Whoever forgot these may have ended before it was done. What was forgotten before the memory was closed is erased. */
async function notYetErased(folder: MemoryFolder): Promise<ReadonlySet<number>> {
  const closed = await readStanding(folder);
  const gone = new Set<number>();
  for await (const { records } of storedSegments(folder, (closed?.journal.last ?? 0) + 1))
    for (const record of records)
      if (record.kind === "forgotten") for (const seq of record.seqs) gone.add(seq);
  return gone;
}

/** Did somebody else write it, or a context for a log that is not there? */
export async function isForeignMemory(
  { paths, disk }: MemoryFolder,
  authorship: Authorship,
): Promise<boolean> {
  if ((await newestOpening(paths.log, disk)) === undefined)
    return (await disk.kind(paths.context)) !== undefined;
  return isForeignJournal(paths.log, disk, { authorship });
}
