import { randomUUID } from "node:crypto";
import { basename, join } from "node:path";
import { setImmediate as others } from "node:timers/promises";
import { LegionError } from "../../base/errors.ts";
import { LOG_FORMAT, type Event, type SeqRange } from "../../domain/event/event.ts";
import { createBlobs, type BlobDisk } from "../../past/log/blobs.ts";
import type { EventLog } from "../../past/log/event-log.ts";
import { openJournal } from "./journal/journal.ts";
import type { JournalStart, JournalWriter, SegmentEnd } from "./journal/journal.ts";
import { createWriter } from "../../past/log/blobs.ts";
import { findKept, keep, type FoundJournal } from "./journal/kept.ts";
import { sumUpTo, type JournalRecord } from "./journal/scan.ts";
import { openSegments, setAside, settleSegments, type OpenSegment } from "./journal/segments.ts";
import type { KeptLog } from "../../past/kept/keeping.ts";
import type { PastFile } from "../folder/cache/past-file.ts";
import { createGaps } from "../../past/log/gaps.ts";
import { createWhole, packing, type Stored } from "../../past/log/patches.ts";

const PART_BYTES = 8 * 1_048_576;

export interface FileLogOptions extends JournalWriter {
  /** The agent's folder. */
  readonly folder: string;
  /** Where damaged lines are set aside. */
  readonly corruptFolder: string;
  readonly maxPartBytes?: number;
  /** Where what is folded from it is kept; absent: nowhere. */
  readonly past?: PastFile;
}

export interface OpenedFileLog extends KeptLog {
  readonly log: EventLog;
  /** Events that are gone, and that no notice of the log has reported yet; mostly empty. */
  readonly lost: readonly SeqRange[];
  /** Where another log goes on in place of this one, which is dead or closed. */
  acknowledged(): Promise<JournalStart>;
}

/**
 * Opens an agent's log for writing; calls `each` with every event of it, oldest first, in one pass.
 *
 * @param end what an earlier opening by this process acknowledged: nothing behind it counts, whatever can be read there
 * @param goOn as `OpenLog` has it
 */
export async function openFileLog(
  options: FileLogOptions,
  each: (event: Event) => void,
  end?: JournalStart,
  goOn?: (kept: Uint8Array) => number | undefined,
): Promise<OpenedFileLog> {
  const { disk, lock, durability, maxPartBytes = PART_BYTES } = options;
  const folder = join(options.folder, "log");
  // Whoever lost the lock and begins a part anew would contradict what the new holder counted.
  if (!lock.held())
    throw new LegionError("STORAGE", `${folder}: another process has taken over this directory.`);
  if (durability === "disk") await settleSegments(folder, disk);
  const blobs = createBlobs(join(options.folder, "blobs"), blobDisk(options));
  const { past } = options;
  const place = { log: folder, disk };
  const kept = goOn && past && (await findKept(past, place, end));
  const known = kept && goOn(kept.packed) === kept.last ? kept : undefined;
  const { id, lost, isWhole, start } = await readThrough(options, each, { end, known });
  // A log that lost events cannot know which numbers it gave out: it goes on as another one.
  const log = id === undefined || lost.length > 0 ? randomUUID() : id;
  const opening = { format: LOG_FORMAT, log, record: "signed" };
  const journal = openJournal({ ...options, folder, name: log, maxPartBytes, opening }, start);
  const put = packing((events) => journal.write(events));
  const write = createWriter(put, blobs);
  const keepPast = (packed: Uint8Array): Promise<void> =>
    keep(past!, place, { log, last: journal.last, segments: journal.ends(), packed });
  return {
    lost,
    acknowledged: () => journal.acknowledged(),
    ...(past && isWhole && { keepPast }),
    log: {
      id: log,
      get last() {
        return journal.last;
      },
      async begin() {
        const { last } = journal;
        journal.seal();
        // What was only kept waits for its own flush.
        if (journal.last > last) await journal.commit();
      },
      async append(events) {
        const stamped = await write(events);
        await journal.commit();
        return stamped;
      },
      keep: async (events) => write(events),
      settle: journal.commit,
      note: (event) => put([event])[0]!,
      read: (from) => readFileLog(options, from),
      close: () => journal.close(),
    },
  };
}

/** Where what is named in a log is put: as durable as the log. */
export function blobDisk({ disk, durability }: Pick<JournalWriter, "disk" | "durability">): BlobDisk {
  if (durability === "disk") return disk;
  return { read: disk.read, replace: disk.put, sync: () => Promise.resolve() };
}

/** Reads a log without opening it, oldest first: also while another process writes to it. */
export async function* readFileLog(
  { folder, disk }: Pick<FileLogOptions, "folder" | "disk">,
  from = 1,
): AsyncGenerator<Event> {
  const whole = createWholeOfFiles({ folder, disk });
  for await (const record of recordsOf({ folder, disk }, from)) yield whole(record);
}

/** Makes records of a log in files whole. */
export function createWholeOfFiles(log: Pick<FileLogOptions, "folder" | "disk">) {
  return createWhole(createBlobs(join(log.folder, "blobs"), log.disk), (seq) => recordsOf(log, seq));
}

async function* recordsOf(
  { folder, disk }: Pick<FileLogOptions, "folder" | "disk">,
  from: number,
): AsyncGenerator<Stored<Event>> {
  for await (const { records } of openSegments<Stored<Event>>(join(folder, "log"), disk, from))
    for (const record of records) if (record.seq >= from) yield record;
}

/** Where a reading begins and ends; without either it is all of the log. */
interface Extent {
  readonly end: JournalStart | undefined;
  readonly known: FoundJournal | undefined;
}

async function readThrough(options: FileLogOptions, each: (event: Event) => void, { end, known }: Extent) {
  const { disk } = options;
  const folder = join(options.folder, "log");
  const whole = createWholeOfFiles(options);
  // Nobody else writes since they were read.
  const seals = known?.seals;
  const ends = end && new Map(end.segments.map(({ name, bytes }) => [name, bytes]));
  let id = known?.log;
  let [trailing, isWhole] = [0, true];
  const gaps = createGaps(known?.last);
  const segments = new Map(known?.segments.map((segment) => [segment.name, segment]));
  const turn = createTurn();
  for await (const segment of openSegments<Stored<Event>>(folder, disk, gaps.last + 1, { ends, seals })) {
    const before = gaps.last;
    for (const record of segment.records) {
      if (record.seq <= before) continue;
      const made = whole(record);
      const event = made instanceof Promise ? await made : made;
      gaps.see(event);
      if (event.kind === "opened") id = event.log;
      each(event);
      if (turn.isOver()) await turn.pass();
    }
    const { damages, ...rest } = segment.rest();
    trailing = gaps.last > before ? rest.trailing : trailing + rest.trailing;
    isWhole &&= damages.length === 0;
    await setAside(damages, join(options.corruptFolder, basename(options.folder)), disk);
    segments.set(segment.name, endOf(segment, gaps.last, segments.get(segment.name)));
  }
  // Damaged lines at the end had numbers, too.
  gaps.miss(trailing);
  const start = end ?? { last: gaps.last, segments: [...segments.values()] };
  return { id, lost: gaps.unreported(), isWhole: isWhole && gaps.isNone(), start };
}

function endOf(segment: OpenSegment<JournalRecord>, last: number, known?: SegmentEnd): SegmentEnd {
  const { name, sealed } = segment;
  const { bytes } = segment.rest();
  return { name, bytes, sealed, last, sum: sumUpTo(bytes, segment, known) };
}

/** So long others wait at most while a log is read, in milliseconds. */
const TURN_MS = 4;
/** The clock is looked at after so many events. */
const LOOK = 16;

function createTurn() {
  let began = performance.now();
  let seen = 0;
  return {
    isOver: (): boolean => ++seen % LOOK === 0 && performance.now() - began > TURN_MS,
    /** Lets others have theirs. */
    async pass(): Promise<void> {
      await others();
      began = performance.now();
    },
  };
}
