// Is every line of an agent's log and mailbox what was written?

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import type { Event } from "../../domain/event/event.ts";
import { createGaps } from "../../past/log/gaps.ts";
import {
  asidePath,
  readSegments,
  type Segment,
  type StoredRecord,
} from "../../storage/files/journal/segments.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { shownPath } from "../../base/files/project-file.ts";
import type { FileReader } from "../../storage/files/reader/reader.ts";
import { count } from "../../base/text/wording.ts";
import { finding, type DoctorFinding } from "./finding.ts";

/** One journal, and what it adds up to as it is read. */
interface CheckedJournal {
  readonly reader: FileReader;
  readonly id: AgentId;
  readonly name: "log" | "mailbox";
  readonly check: string;
  readonly gaps: ReturnType<typeof createGaps>;
  records: number;
  /** Damaged lines that nobody has set aside. */
  damages: number;
  /** Damaged lines of which there is a copy: a start or a repair has dealt with them. */
  settled: number;
}

export async function* checkJournals(reader: FileReader, id: AgentId): AsyncGenerator<DoctorFinding> {
  for (const name of ["log", "mailbox"] as const) {
    const check = `${name} ${id}`;
    try {
      yield* checkJournal({
        reader,
        id,
        name,
        check,
        gaps: createGaps(),
        records: 0,
        damages: 0,
        settled: 0,
      });
    } catch (error) {
      yield finding(check, "damaged", messageOf(error));
    }
  }
}

async function* checkJournal(journal: CheckedJournal): AsyncGenerator<DoctorFinding> {
  const { reader, id, name, check, gaps } = journal;
  const folder = join(reader.paths.agent(id), name);
  for await (const segment of readSegments(folder, reader.disk)) {
    yield* checkLines(journal, segment);
    yield* checkRecords(journal, segment);
    const torn = await tornBytes(folder, segment);
    const unfinished = `${count(torn, "byte")} of an unfinished line; the next start leaves them out`;
    if (torn > 0) yield finding(check, "ok", unfinished);
  }
  const { records, damages, settled } = journal;
  const lost = name === "log" ? gaps.unreported() : [];
  // What is missing beside a damaged line is what stood in it.
  if (damages === 0) for (const [first, last] of lost) yield finding(check, "damaged", missing(first, last));
  if (settled > 0) yield finding(check, "ok", `${settled} damaged before, set aside and reported`);
  if (records > 0 && damages === 0 && lost.length === 0) yield finding(check, "ok", count(records, "record"));
}

function missing(first: number, last: number): string {
  return first === last
    ? `event ${first} is missing before ${last + 1}`
    : `events ${first} to ${last} are missing before ${last + 1}`;
}

function* checkLines(journal: CheckedJournal, { damages }: Segment<StoredRecord>): Generator<DoctorFinding> {
  const { reader, id, name, check } = journal;
  const { paths, disk } = reader;
  const copies = join(paths.corrupt, name === "log" ? id : `${id}-${name}`);
  for (const damage of damages) {
    if (disk.exists(asidePath(damage, copies))) {
      journal.settled++;
      continue;
    }
    journal.damages++;
    const where = `${count(damage.bytes.length, "byte")} at ${damage.offset}`;
    yield finding(check, "damaged", `${shownPath(paths.project, damage.file)}: ${where} cannot be read`);
  }
}

async function* checkRecords(
  journal: CheckedJournal,
  { records }: Segment<StoredRecord>,
): AsyncGenerator<DoctorFinding> {
  const { reader, id, check, gaps } = journal;
  const blobs = reader.blobs(id);
  for (const record of records) {
    journal.records++;
    gaps.see(record as Event & StoredRecord);
    for (const hash of blobsOf(record)) {
      const detail = `event ${record.seq}: there is no blob ${hash}, or it is not what was written`;
      if ((await blobs.read(hash)) === undefined) yield finding(check, "damaged", detail);
    }
  }
}

async function tornBytes(folder: string, { name, bytes, sealed }: Segment<StoredRecord>): Promise<number> {
  if (sealed) return 0;
  const found = await stat(join(folder, name)).catch(() => undefined);
  return found ? found.size - bytes : 0;
}

/** Hashes of the long texts that are kept beside the log. */
function blobsOf({ blobs }: StoredRecord): readonly string[] {
  if (!Array.isArray(blobs)) return [];
  return blobs.map((entry: unknown) => (Array.isArray(entry) ? String(entry[1]) : ""));
}
