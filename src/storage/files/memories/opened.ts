// A memory in files, opened for writing by whoever holds its lock.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { LOG_FORMAT } from "../../../domain/event/event.ts";
import type { MemoryId } from "../../../domain/memory/memory-id.ts";
import type { NewMemoryEvent } from "../../../domain/memory/record.ts";
import { accountMemory, createStanding, type MemoryStanding } from "../../../past/memory/standing.ts";
import { splitWords, type Wordless } from "../../../past/memory/words.ts";
import { foreignMemory } from "../../contract/foreign.ts";
import type { Durability } from "../../contract/node.ts";
import type { Lock } from "../../folder/lock.ts";
import type { Authorship } from "../../folder/person/authorship.ts";
import { openJournal, type Journal, type JournalStart, type SegmentEnd } from "../journal/journal.ts";
import { isForeignJournal, setAside, settleSegments } from "../journal/segments.ts";
import { storedSegments, type MemoryFolder } from "./reading.ts";
import { readStanding, writeStanding } from "./standing-file.ts";
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
  /** Adds events as one, with their words. Durable when it resolves. Rejects with STORAGE; then `mend` has to come first. */
  add(events: readonly NewMemoryEvent[]): Promise<void>;
  /** Its last `add` failed. */
  readonly isBroken: boolean;
  /** Goes on behind what was acknowledged. Rejects with STORAGE, and may be tried again. */
  mend(): Promise<void>;
  /** Lets the lock go. */
  close(): Promise<void>;
}

/** How it goes on. */
interface WriteStart {
  readonly standing: MemoryStanding;
  readonly journal: JournalStart;
  readonly texts?: TextsEnd;
  /** What is to be erased, by numbers, for all that is known. */
  readonly forgotten: readonly number[];
}

interface WriteState {
  readonly standing: MemoryStanding;
  readonly journal: Journal;
  readonly texts: Texts;
}

/** Rejects with FOREIGN if somebody else wrote it, with DAMAGED if a newer version did. */
export async function openMemory(writer: MemoryWriter): Promise<OpenedMemory> {
  const { id, paths, disk, authorship, durability, lock } = writer;
  const isForeign = await isForeignJournal(paths.log, disk, { authorship });
  if (isForeign && writer.foreign === undefined) throw foreignMemory(id);
  await disk.emptyTmp();
  const closed = isForeign ? undefined : await whereItWasClosed(writer);
  if (!closed && durability === "disk") await settleSegments(paths.log, disk);
  let state = await begin(writer, closed ?? (await readThrough(writer)));
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
    get isBroken() {
      return isBroken;
    },
    add,
    async mend() {
      const end = await state.journal.acknowledged();
      state.texts.close();
      state = await begin(writer, await readThrough(writer, end));
      isBroken = false;
    },
    async close() {
      try {
        if (!isBroken) await leave(writer, state);
      } finally {
        state.texts.close();
        await lock.release();
      }
    },
  };
}

/** `undefined` unless its files are what they were when it was closed. */
async function whereItWasClosed({ paths, disk }: MemoryFolder): Promise<WriteStart | undefined> {
  const closed = await readStanding(paths.standing, disk);
  if (!closed) return undefined;
  const { standing, segments, texts } = closed;
  const newest = segments.at(-1)!;
  const names = (await disk.list(paths.log)).filter((name) => name.endsWith(".jsonl"));
  const isSame =
    names.length === segments.length &&
    segments.every(({ name }) => names.includes(name)) &&
    (await disk.size(join(paths.log, newest.name))) === newest.bytes &&
    (!texts || (await disk.size(join(paths.texts, texts.file))) === texts.bytes);
  if (!isSame) return undefined;
  return { standing, journal: { last: standing.last, segments, goesOn: true }, texts, forgotten: [] };
}

/** @param end what an earlier opening by this process acknowledged: nothing behind it counts */
async function readThrough(folder: MemoryFolder, end?: JournalStart): Promise<WriteStart> {
  const { paths, disk } = folder;
  const standing = createStanding();
  const segments: SegmentEnd[] = [];
  const forgotten: number[] = [];
  const ends = end && new Map(end.segments.map(({ name, bytes }) => [name, bytes]));
  let damaged = 0;
  for await (const { name, bytes, sealed, records, damages } of storedSegments(folder, 1, ends)) {
    for (const record of records) {
      accountMemory(standing, record);
      if (record.kind === "forgotten") forgotten.push(...record.seqs);
    }
    await setAside(damages, paths.corrupt, disk);
    damaged += damages.length;
    segments.push({ name, bytes, sealed, last: standing.last });
  }
  // Damaged lines had numbers, too, and none is given twice.
  const last = standing.last + damaged;
  return { standing, journal: end ?? { last, segments }, forgotten };
}

async function begin(
  writer: MemoryWriter,
  { standing, journal: start, texts, forgotten }: WriteStart,
): Promise<WriteState> {
  const { paths, disk, lock, durability } = writer;
  const log = (standing.log ??= randomUUID());
  const opening = { format: LOG_FORMAT, log };
  const journal = openJournal(
    { ...writer, folder: paths.log, name: log, maxPartBytes: PART_BYTES, opening },
    start,
  );
  const kept = openTexts({ folder: paths.texts, disk, epoch: lock.epoch, durability }, texts);
  const state = { standing, journal, texts: kept };
  // Whoever forgot may have ended before it was done.
  await erase(writer, state, forgotten);
  return state;
}

async function append(
  writer: MemoryWriter,
  state: WriteState,
  events: readonly NewMemoryEvent[],
): Promise<void> {
  const { journal, texts, standing } = state;
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
    if (event.kind === "forgotten") await erase(writer, state, event.seqs);
  }
}

/** Overwrites the words of the events `seqs`. */
async function erase(folder: MemoryFolder, { texts }: WriteState, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return;
  const doomed = new Set(seqs);
  const [from, to] = [seqs.reduce((a, b) => Math.min(a, b)), seqs.reduce((a, b) => Math.max(a, b))];
  for await (const { records } of storedSegments(folder, from)) {
    for (const record of records)
      if (doomed.has(record.seq) && "words" in record) await texts.erase(record.words);
    if ((records.at(-1)?.seq ?? 0) >= to) return;
  }
}

/** Leaves word where whoever comes next can go on. */
async function leave({ paths, disk }: MemoryFolder, { standing, journal, texts }: WriteState): Promise<void> {
  const { segments } = await journal.acknowledged();
  await journal.close();
  if (segments.length > 0)
    await writeStanding(paths.standing, disk, { standing, segments: [...segments], texts: texts.end });
}
