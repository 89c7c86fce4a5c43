// The log of a memory in files, read without its lock: also while another process writes to it.

import type { Disk } from "../../../base/files/disk.ts";
import type { MemoryEvent } from "../../../domain/memory/record.ts";
import { joinWords, type WordlessEvent } from "../../../past/memory/words.ts";
import type { MemoryPaths } from "../../folder/memory-paths.ts";
import { readSegments, type Segment } from "../journal/segments.ts";
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

/** Every event from number `from` on, oldest first, with its words. */
export async function* readMemory(folder: MemoryFolder, from = 1): AsyncGenerator<MemoryEvent, undefined> {
  const read = createTextReader(folder.paths.texts, folder.disk);
  for await (const { records } of storedSegments(folder, from))
    for (const record of records)
      if (record.seq >= from)
        yield record.kind === "opened"
          ? record
          : joinWords(record, "words" in record ? await read(record.words) : undefined);
  return undefined;
}
