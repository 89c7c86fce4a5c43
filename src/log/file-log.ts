import { randomUUID } from "node:crypto";
import { basename, join } from "node:path";
import type { Event, NewEvent } from "../event.ts";
import type { LogId } from "../message.ts";
import { inline, longStrings, outline, type Blobs, type Outlined } from "./blobs.ts";
import type { Disk } from "./disk.ts";
import type { EventLog } from "./event-log.ts";
import {
  openJournal,
  readSegments,
  settleJournal,
  type Durability,
  type Journal,
  type SegmentLength,
  type StoredRecord,
} from "./journal.ts";
import type { Lock } from "./lock.ts";

const PART_BYTES = 8 * 1_048_576;

export interface FileLogOptions {
  /** The agent's folder. */
  readonly folder: string;
  readonly disk: Disk;
  readonly blobs: Blobs;
  readonly lock: Lock;
  readonly durability: Durability;
  readonly now: () => number;
  /** Where damaged lines are set aside. */
  readonly corruptFolder: string;
}

/** What was found when a log was opened. */
export interface OpenedFileLog {
  readonly log: EventLog;
  /** Where lines were set aside, for the first time, because they are not what was written; mostly empty. */
  readonly damaged: readonly string[];
}

/** Opens an agent's log for writing; calls `each` with every event of it, oldest first, in one pass. */
export async function openFileLog(
  options: FileLogOptions,
  each: (event: Event) => void,
): Promise<OpenedFileLog> {
  const { disk, blobs } = options;
  const folder = join(options.folder, "log");
  if (options.durability === "disk") await settleJournal(folder, disk);
  let id: LogId | undefined;
  let last = 0;
  const damaged: string[] = [];
  const unsealed: SegmentLength[] = [];
  for await (const segment of readSegments(folder, disk)) {
    for (const record of segment.records) {
      if (record.kind === "opened") id = record["log"] as LogId;
      last = record.seq;
      each(await toEvent(record, blobs));
    }
    for (const { file, offset, bytes } of segment.damages) {
      const path = join(options.corruptFolder, `${basename(options.folder)}-${file}-${offset}`);
      // A line that was set aside before is no new loss.
      if (disk.exists(path)) continue;
      await disk.replace(path, bytes);
      damaged.push(path);
    }
    if (!segment.sealed) unsealed.push(segment);
  }
  // A log that lost events may not give out their numbers again.
  const log = id === undefined || damaged.length > 0 ? randomUUID() : id;
  const journal = openJournal(
    {
      folder,
      disk,
      epoch: options.lock.epoch,
      durability: options.durability,
      held: options.lock.held,
      now: options.now,
      maxPartBytes: PART_BYTES,
      opening: () => ({ format: 1, log }),
    },
    last,
    unsealed,
  );
  return {
    damaged,
    log: {
      id: log,
      get last() {
        return journal.last;
      },
      async append(events) {
        const stamped = await stampAll(events, journal, blobs);
        await journal.commit();
        return stamped;
      },
      note: (event) => journal.write(event),
      read: (from) => readFileLog(options, from),
      close: () => journal.close(),
    },
  };
}

/** Reads a log without opening it, oldest first: also while another process writes to it. */
export async function* readFileLog(
  { folder, disk, blobs }: Pick<FileLogOptions, "folder" | "disk" | "blobs">,
  from = 1,
): AsyncGenerator<Event> {
  for await (const segment of readSegments(join(folder, "log"), disk)) {
    for (const record of segment.records) if (record.seq >= from) yield await toEvent(record, blobs);
  }
}

function toEvent(record: StoredRecord, blobs: Blobs): Event | Promise<Event> {
  const event = record as unknown as Event & Outlined;
  return event.blobs ? inline(event, blobs) : event;
}

/** Writes the events in order; those with long strings as outlines, but gives them back whole. */
async function stampAll(
  events: readonly NewEvent[],
  journal: Journal,
  blobs: Blobs,
): Promise<readonly Event[]> {
  const long = events.map((event) => longStrings(event));
  if (long.every((places) => places.length === 0)) return events.map((event) => journal.write(event));
  const outlined = await Promise.all(events.map((event, index) => outline(event, long[index]!, blobs)));
  return outlined.map((event, index) => {
    const { seq, epoch, at } = journal.write(event);
    return { seq, epoch, at, ...events[index]! };
  });
}
