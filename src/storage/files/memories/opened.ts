// A memory in files, opened for writing by whoever holds its lock.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { LOG_FORMAT } from "../../../domain/event/event.ts";
import type { MemoryId } from "../../../domain/memory/memory-id.ts";
import type { NewMemoryEvent } from "../../../domain/memory/record.ts";
import { hear, markIn, packHeard, unpackHeard, type HeardMessages } from "../../../past/memory/heard.ts";
import { accountMemory, createStanding, type MemoryStanding } from "../../../past/memory/standing.ts";
import { splitWords, type Wordless } from "../../../past/memory/words.ts";
import { foreignMemory } from "../../contract/foreign.ts";
import type { Durability } from "../../contract/node.ts";
import type { Lock } from "../../folder/lock.ts";
import type { Authorship } from "../../folder/person/authorship.ts";
import { openJournal, type Journal, type JournalStart, type SegmentEnd } from "../journal/journal.ts";
import { segmentNames, setAside, settleSegments } from "../journal/segments.ts";
import { eraseWords } from "./erasing.ts";
import { isForeignMemory, storedSegments, type MemoryFolder } from "./reading.ts";
import { readStanding, writeStanding, type Closed } from "./standing-file.ts";
import { openTexts, type Texts, type TextsEnd } from "./texts.ts";

const PART_BYTES = 8 * 1_048_576;

export interface MemoryWriter extends MemoryFolder {
  readonly id: MemoryId;
  readonly lock: Lock;
  readonly durability: Durability;
  readonly clock: Pick<Clock, "now">;
  readonly authorship: Authorship;
  /** What somebody else wrote is taken on; absent: it waits. */
  readonly foreign?: "adopt";
}

export interface OpenedMemory {
  readonly standing: MemoryStanding;
  /** Of which messages it has, or had, entries. */
  readonly heard: ReadonlyMap<string, number>;
  /** The oldest shard that `context.md` may say where no person changed it; 0 for any. */
  shown: number;
  /** Adds events as one, with their words. Durable when it resolves. Rejects with STORAGE; then `mend` has to come first. */
  add(events: readonly NewMemoryEvent[]): Promise<void>;
  /** Its last `add` failed. */
  readonly isBroken: boolean;
  /** Goes on behind what was acknowledged. Rejects with STORAGE, and may be tried again. */
  mend(): Promise<void>;
  /** Leaves word where whoever comes next can go on. Nothing depends on it: never rejects. */
  close(): Promise<void>;
}

/** How it goes on. */
interface WriteStart extends Pick<Closed, "standing" | "journal"> {
  readonly heard: HeardMessages;
  readonly texts?: TextsEnd | undefined;
  /** What is to be erased, by numbers, for all that is known. */
  readonly forgotten: readonly number[];
}

interface WriteState {
  readonly standing: MemoryStanding;
  readonly heard: HeardMessages;
  readonly journal: Journal;
  readonly texts: Texts;
}

/** Rejects with FOREIGN if somebody else wrote it, with DAMAGED if a newer version did. */
export async function openMemory(writer: MemoryWriter): Promise<OpenedMemory> {
  const { id, paths, disk, authorship, durability } = writer;
  const isForeign = await isForeignMemory(writer, authorship);
  if (isForeign && writer.foreign === undefined) throw foreignMemory(id);
  await disk.emptyTmp();
  const closed = isForeign ? undefined : await readStanding(writer);
  const start =
    closed && (await isUntouched(closed, writer))
      ? { ...closed, heard: unpackHeard(closed.heard), forgotten: [] }
      : undefined;
  if (!start && durability === "disk") await settleSegments(paths.log, disk);
  let state = await begin(writer, start ?? (await readThrough(writer)));
  let shown = closed?.shown ?? 0;
  let isBroken = false;
  const add = async (events: readonly NewMemoryEvent[]): Promise<void> => {
    try {
      await append(writer, state, events);
    } catch (error) {
      isBroken = true;
      throw error;
    }
  };
  if (isForeign) await add([{ kind: "adopted" }]);
  return {
    get standing() {
      return state.standing;
    },
    get heard() {
      return state.heard;
    },
    get shown() {
      return shown;
    },
    set shown(seq) {
      shown = seq;
    },
    get isBroken() {
      return isBroken;
    },
    add,
    async mend() {
      const { segments, last } = await state.journal.acknowledged();
      state.texts.close();
      state = await begin(writer, await readThrough(writer, { segments, last }));
      // Or whoever reads, a plan among them, takes what was never acknowledged for what is so.
      state.journal.seal();
      await state.journal.commit();
      state.standing.last = state.journal.last;
      isBroken = false;
    },
    async close() {
      const { journal, texts } = state;
      if (!isBroken) await leave(writer, { ...state, shown }).catch(() => undefined);
      await journal.close().catch(() => undefined);
      texts.close();
    },
  };
}

/** Are its files what they were when it was closed? Something else in their place is not gone on in, either. */
async function isUntouched({ journal, texts }: Closed, { paths, disk }: MemoryFolder): Promise<boolean> {
  const isAt = async (path: string, bytes: number): Promise<boolean> =>
    (await disk.kind(path)) === "file" && (await disk.size(path)) === bytes;
  const { name, bytes } = journal.segments.at(-1)!;
  return (
    (await segmentNames(paths.log, disk)).length === journal.segments.length &&
    (await isAt(join(paths.log, name), bytes)) &&
    (!texts || (await isAt(join(paths.texts, texts.file), texts.bytes)))
  );
}

/** @param end what an earlier opening by this process acknowledged: nothing behind it counts */
async function readThrough(folder: MemoryFolder, end?: JournalStart): Promise<WriteStart> {
  const { paths, disk } = folder;
  const standing = createStanding();
  const heard: HeardMessages = new Map();
  const segments: SegmentEnd[] = [];
  const forgotten: number[] = [];
  const ends = end && new Map(end.segments.map(({ name, bytes }) => [name, bytes]));
  let lost = 0;
  for await (const segment of storedSegments(folder, 1, ends)) {
    const { name, bytes, sealed, records, damages, trailing } = segment;
    for (const record of records) {
      accountMemory(standing, record);
      hear(heard, markIn(record));
      if (record.kind === "forgotten") forgotten.push(...record.seqs);
    }
    lost = records.length > 0 ? trailing : lost + trailing;
    await setAside(damages, paths.corrupt, disk);
    segments.push({ name, bytes, sealed, last: standing.last });
  }
  // Damaged lines at the end had numbers, too, and none is given twice.
  const journal = end ?? { last: standing.last + lost, segments };
  return { standing, heard, journal, forgotten };
}

async function begin(
  writer: MemoryWriter,
  { standing, heard, journal: start, texts, forgotten }: WriteStart,
): Promise<WriteState> {
  const { paths, disk, lock, durability } = writer;
  // Whoever forgot may have ended before it was done.
  await eraseWords(writer, forgotten);
  const log = (standing.log ??= randomUUID());
  const opening = { format: LOG_FORMAT, log };
  const kept = await openTexts({ folder: paths.texts, disk, epoch: lock.epoch, durability }, texts);
  const journal = openJournal(
    { ...writer, folder: paths.log, name: log, maxPartBytes: PART_BYTES, opening },
    start,
  );
  return { standing, heard, journal, texts: kept };
}

async function append(
  writer: MemoryWriter,
  { journal, texts, standing, heard }: WriteState,
  events: readonly NewMemoryEvent[],
): Promise<void> {
  const records = events.map((event): Wordless => {
    const { record, words } = splitWords(event);
    return record(words === undefined ? "" : texts.add(words));
  });
  // Before a record says where its words are, they are there.
  await texts.settle();
  const stamped = journal.write(records);
  await journal.commit();
  for (const event of stamped) {
    accountMemory(standing, event);
    hear(heard, markIn(event));
  }
  await eraseWords(
    writer,
    stamped.flatMap((event) => (event.kind === "forgotten" ? event.seqs : [])),
  );
}

async function leave(
  folder: MemoryFolder,
  { standing, heard, journal, texts, shown }: WriteState & Pick<Closed, "shown">,
): Promise<void> {
  const end = await journal.acknowledged();
  if (end.segments.length > 0)
    await writeStanding(folder, {
      ...{ standing, journal: end, texts: texts.end, shown },
      heard: packHeard(heard),
    });
}
