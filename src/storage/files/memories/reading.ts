// The log of a memory in files, read without its lock: also while another process writes to it.

import { join } from "node:path";
import type { Disk } from "../../../base/files/disk.ts";
import type { MemoryEvent } from "../../../domain/memory/record.ts";
import { joinWords, type WordlessEvent } from "../../../past/memory/words.ts";
import { fromLine } from "../../folder/line.ts";
import type { MemoryPaths } from "../../folder/memory-paths.ts";
import type { Authorship } from "../../folder/person/authorship.ts";
import {
  isForeignJournal,
  newestOpening,
  readSeals,
  readSegments,
  type Segment,
} from "../journal/segments.ts";
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
  return readSegments<WordlessEvent>(paths.log, disk, from, { ends });
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

/** The events of these numbers that are there; lines that lie between them are not read as records. */
export async function pickEvents(
  folder: MemoryFolder,
  seqs: readonly number[],
): Promise<readonly MemoryEvent[]> {
  const { paths, disk } = folder;
  const { names, seals, limits } = await readSeals(paths.log, disk);
  const gone = await notYetErased(folder);
  const read = createTextReader(paths.texts, disk);
  const found: MemoryEvent[] = [];
  const wanted = new Set(seqs);
  for (const [index, name] of names.entries()) {
    const limit = limits[index] ?? Infinity;
    const here = [...wanted].filter((seq) => seq < limit);
    const bytes =
      here.length > 0 ? (await disk.read(join(paths.log, name)))?.subarray(0, seals.get(name)) : undefined;
    for (const seq of here) {
      const record = bytes && recordIn(bytes, seq);
      if (!record || record.kind === "opened") continue;
      wanted.delete(seq);
      const words = "words" in record && !gone.has(seq) ? await read(record.words) : undefined;
      found.push(joinWords(record, words));
    }
  }
  return found;
}

const NEWLINE = 10;

function recordIn(segment: Buffer, seq: number): WordlessEvent | undefined {
  const start = segment.indexOf(`{"seq":${seq},"epoch":`);
  if (start === -1 || (start > 0 && segment[start - 1] !== NEWLINE)) return undefined;
  const end = segment.indexOf(NEWLINE, start);
  return end === -1 ? undefined : fromLine<WordlessEvent>(segment.subarray(start, end));
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
