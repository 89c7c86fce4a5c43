import { randomUUID } from "node:crypto";
import { basename, join } from "node:path";
import { LegionError } from "../../base/errors.ts";
import { LOG_FORMAT, type Event, type SeqRange } from "../../domain/event/event.ts";
import type { LogId } from "../../domain/message/message.ts";
import { createBlobs } from "../../past/log/blobs.ts";
import type { EventLog } from "../../past/log/event-log.ts";
import { openJournal } from "./journal/journal.ts";
import type { JournalStart, JournalWriter, SegmentEnd } from "./journal/journal.ts";
import { createWriter } from "../../past/log/blobs.ts";
import { readRecords, readSegments, setAside, settleSegments } from "./journal/segments.ts";
import { createGaps } from "../../past/log/gaps.ts";
import { createWhole, packing, type Stored } from "../../past/log/patches.ts";

const PART_BYTES = 8 * 1_048_576;

export interface FileLogOptions extends JournalWriter {
  /** The agent's folder. */
  readonly folder: string;
  /** Where damaged lines are set aside. */
  readonly corruptFolder: string;
  readonly maxPartBytes?: number;
}

export interface OpenedFileLog {
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
 */
export async function openFileLog(
  options: FileLogOptions,
  each: (event: Event) => void,
  end?: JournalStart,
): Promise<OpenedFileLog> {
  const { disk, lock, durability, maxPartBytes = PART_BYTES } = options;
  const folder = join(options.folder, "log");
  // Whoever lost the lock and begins a part anew would contradict what the new holder counted.
  if (!lock.held())
    throw new LegionError("STORAGE", `${folder}: another process has taken over this directory.`);
  if (durability === "disk") await settleSegments(folder, disk);
  const blobs = createBlobs(join(options.folder, "blobs"), disk);
  const { id, lost, start } = await readThrough(options, each, end);
  // A log that lost events cannot know which numbers it gave out: it goes on as another one.
  const log = id === undefined || lost.length > 0 ? randomUUID() : id;
  const opening = { format: LOG_FORMAT, log, record: "signed" };
  const journal = openJournal({ ...options, folder, name: log, maxPartBytes, opening }, start);
  const put = packing((events) => journal.write(events));
  const write = createWriter(put, blobs);
  return {
    lost,
    acknowledged: () => journal.acknowledged(),
    log: {
      id: log,
      get last() {
        return journal.last;
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
  for await (const records of readRecords<Stored<Event>>(join(folder, "log"), disk, from))
    for (const record of records) if (record.seq >= from) yield record;
}

async function readThrough(
  options: FileLogOptions,
  each: (event: Event) => void,
  end: JournalStart | undefined,
) {
  const { disk } = options;
  const folder = join(options.folder, "log");
  const whole = createWholeOfFiles(options);
  const ends = end && new Map(end.segments.map(({ name, bytes }) => [name, bytes]));
  let id: LogId | undefined;
  let trailing = 0;
  const gaps = createGaps();
  const segments: SegmentEnd[] = [];
  for await (const segment of readSegments<Stored<Event>>(folder, disk, 1, ends)) {
    for (const record of segment.records) {
      const made = whole(record);
      const event = made instanceof Promise ? await made : made;
      gaps.see(event);
      if (event.kind === "opened") id = event.log;
      each(event);
    }
    trailing = segment.records.length > 0 ? segment.trailing : trailing + segment.trailing;
    await setAside(segment.damages, join(options.corruptFolder, basename(options.folder)), disk);
    segments.push({ name: segment.name, bytes: segment.bytes, sealed: segment.sealed, last: gaps.last });
  }
  // Damaged lines at the end had numbers, too.
  gaps.miss(trailing);
  return { id, lost: gaps.unreported(), start: end ?? { last: gaps.last, segments } };
}
