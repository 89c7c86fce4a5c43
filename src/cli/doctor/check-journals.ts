// Is every line of an agent's log and mailbox what was written?

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import type { Event, SeqRange } from "../../domain/event.ts";
import { lostIn } from "../../past/log/gaps.ts";
import {
  asidePath,
  readSegments,
  type Segment,
  type StoredRecord,
} from "../../storage/files/journal/segments.ts";
import type { AgentId } from "../../domain/message.ts";
import { shownPath } from "../../base/files/project-file.ts";
import type { FileReader } from "../../storage/files/reader/reader.ts";
import { count } from "../../base/wording.ts";
import type { DoctorFinding } from "./finding.ts";

const NAMES = ["log", "mailbox"] as const;

export async function* checkJournals(reader: FileReader, id: AgentId): AsyncGenerator<DoctorFinding> {
  for (const name of NAMES) {
    const journal: CheckedJournal = { reader, id, name, folder: join(reader.paths.agent(id), name) };
    const damage = (detail: string): DoctorFinding => ({ check: `${name} ${id}`, status: "damaged", detail });
    try {
      yield* checkJournal(journal, damage);
    } catch (error) {
      yield damage(messageOf(error));
    }
  }
}

interface CheckedJournal {
  readonly reader: FileReader;
  readonly id: AgentId;
  readonly name: (typeof NAMES)[number];
  readonly folder: string;
}

/** What a whole journal adds up to. */
interface JournalCourse {
  count: number;
  last: number;
  /** Damaged lines that nobody has set aside. */
  damages: number;
  /** Damaged lines of which there is a copy: a start or a repair has dealt with them. */
  settled: number;
  /** Events that are not there. */
  readonly gaps: SeqRange[];
  readonly reported: SeqRange[];
}

async function* checkJournal(
  journal: CheckedJournal,
  damage: (detail: string) => DoctorFinding,
): AsyncGenerator<DoctorFinding> {
  const { reader, id, name, folder } = journal;
  const check = `${name} ${id}`;
  const course: JournalCourse = { count: 0, last: 0, damages: 0, settled: 0, gaps: [], reported: [] };
  for await (const segment of readSegments(folder, reader.disk)) {
    yield* checkLines(journal, segment, course, damage);
    for (const record of segment.records) {
      follow(course, record);
      for (const hash of blobsOf(record)) {
        if ((await reader.blobs(id).read(hash)) === undefined)
          yield damage(`event ${record.seq}: there is no blob ${hash}, or it is not what was written`);
      }
    }
    const torn = await tornBytes(folder, segment);
    if (torn > 0) {
      const detail = `${count(torn, "byte")} of an unfinished line; the next start leaves them out`;
      yield { check, status: "ok", detail };
    }
  }
  const { damages, settled, gaps, reported } = course;
  const isReported = ([first, last]: SeqRange): boolean =>
    reported.some((r) => r[0] <= first && last <= r[1]);
  const open = name === "log" ? gaps.filter((gap) => !isReported(gap)) : [];
  // What is missing beside a damaged line is what stood in it.
  if (damages === 0) for (const [first, last] of open) yield damage(missing(first, last));
  if (settled > 0) yield { check, status: "ok", detail: `${settled} damaged before, set aside and reported` };
  if (course.count > 0 && damages === 0 && open.length === 0)
    yield { check, status: "ok", detail: count(course.count, "record") };
}

function missing(first: number, last: number): string {
  return first === last
    ? `event ${first} is missing before ${last + 1}`
    : `events ${first} to ${last} are missing before ${last + 1}`;
}

function* checkLines(
  { reader, id, name }: CheckedJournal,
  { damages }: Segment<StoredRecord>,
  course: JournalCourse,
  damage: (detail: string) => DoctorFinding,
): Generator<DoctorFinding> {
  const { paths, disk } = reader;
  const prefix = join(paths.corrupt, name === "log" ? id : `${id}-${name}`);
  for (const found of damages) {
    if (disk.exists(asidePath(found, prefix))) {
      course.settled++;
      continue;
    }
    course.damages++;
    const file = shownPath(paths.project, found.file);
    yield damage(`${file}: ${count(found.bytes.length, "byte")} at ${found.offset} cannot be read`);
  }
}

function follow(course: JournalCourse, record: StoredRecord): void {
  if (record.seq > course.last + 1) course.gaps.push([course.last + 1, record.seq - 1]);
  course.last = record.seq;
  course.count++;
  for (const range of lostIn(record as Event & StoredRecord)) course.reported.push(range);
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
