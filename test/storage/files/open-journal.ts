import {
  openJournal,
  type Journal,
  type JournalOptions,
  type SegmentEnd,
} from "../../../src/storage/files/journal/journal.ts";
import {
  readSegments,
  settleSegments,
  type StoredRecord,
} from "../../../src/storage/files/journal/segments.ts";
import type { Damage } from "../../../src/storage/files/journal/scan.ts";
import type { Lock } from "../../../src/storage/folder/lock.ts";
import type { Disk } from "../../../src/base/files/disk.ts";

export interface Found {
  readonly journal: Journal;
  readonly records: readonly StoredRecord[];
  readonly damages: readonly Damage[];
}

/** Options of a journal that nobody disturbs. */
export const WRITER = {
  name: "said",
  lock: { epoch: 1, held: () => true },
  clock: { now: () => 0 },
  durability: "disk",
  maxPartBytes: 1_048_576,
} as const;

/** Reads a folder and opens its journal behind what was found, as logs and mailboxes do. */
export async function reopenJournal(
  options: Pick<JournalOptions, "folder" | "disk"> & Partial<JournalOptions & Lock>,
): Promise<Found> {
  const { folder, disk } = options;
  if (options.durability !== "process") await settleSegments(folder, disk);
  const records: StoredRecord[] = [];
  const damages: Damage[] = [];
  const segments: SegmentEnd[] = [];
  let last = 0;
  for await (const segment of readSegments(folder, disk)) {
    records.push(...segment.records);
    damages.push(...segment.damages);
    last = segment.records.at(-1)?.seq ?? last;
    segments.push({ name: segment.name, bytes: segment.bytes, sealed: segment.sealed, last });
  }
  const { epoch = 1, held = () => true } = options;
  const journal = openJournal({ ...WRITER, lock: { epoch, held }, ...options }, { last, segments });
  return { journal, records, damages };
}

/** The texts of the records that are no openings, in order. */
export async function textsIn(folder: string, disk: Disk): Promise<unknown[]> {
  const texts: unknown[] = [];
  for await (const { records } of readSegments(folder, disk))
    for (const { kind, text } of records) if (kind === "said") texts.push(text);
  return texts;
}

/** Writes `texts`, each committed by itself. */
export async function say(journal: Journal, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    journal.write([{ kind: "said", text }]);
    await journal.commit();
  }
}
