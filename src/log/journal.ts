// A folder of segments `<epoch>-<part>.jsonl`, one record a line, appended to by one process at a time. The event log
// and the mailbox are both journals.
//
//   J1. A record counts once `commit` has resolved: written, flushed, and the lock still ours, in this order.
//   J2. Nothing is rewritten. What a dead writer left unacknowledged is sealed off by the next segment, not cut.
//   J3. A damaged line never becomes a record and never hides the ones after it.
//   J4. Any number of concurrent commits share one flush.

import { join } from "node:path";
import { LegionError } from "../errors.ts";
import type { AppendFile, Disk } from "./disk.ts";
import { eachLine, fromLine, toLine } from "./line.ts";

/** `disk`: a commit is flushed. `process`: it is with the operating system, and lost if the machine stops. */
export type Durability = "disk" | "process";

export interface JournalRecord {
  readonly seq: number;
  readonly epoch: number;
  readonly at: string;
  readonly kind: string;
}

export interface JournalOptions {
  readonly folder: string;
  readonly disk: Disk;
  readonly epoch: number;
  readonly durability: Durability;
  /** False once another process has taken the directory over. */
  readonly held: () => boolean;
  readonly now: () => number;
  readonly maxPartBytes: number;
  /** The fields of the first record of each segment besides `seals`. */
  readonly opening: () => object;
}

export interface Journal {
  /** The highest sequence number; 0 when empty. */
  readonly last: number;
  /** Stamps and writes records; durable with the next `commit`. Throws STORAGE if the journal is dead. */
  write<R extends { readonly kind: string }>(record: R): R & JournalRecord;
  /** Resolves when everything written so far is as durable as promised. Rejects with STORAGE; then it is dead. */
  commit(): Promise<void>;
  /** Removes all segments, if every record so far is at or before `seq`; what is written meanwhile stays. */
  dropThrough(seq: number): Promise<void>;
  close(): Promise<void>;
}

/** A line that is not what was written. */
export interface Damage {
  readonly file: string;
  readonly offset: number;
  readonly bytes: Buffer;
}

/** What counts of one segment, in order. */
export interface Segment {
  readonly name: string;
  /** Up to its last whole line. */
  readonly bytes: number;
  /** A later segment says how many of its bytes count: nobody writes to it any more. */
  readonly sealed: boolean;
  readonly records: readonly StoredRecord[];
  readonly damages: readonly Damage[];
}

export type SegmentLength = Pick<Segment, "name" | "bytes">;
export type StoredRecord = JournalRecord & Readonly<Record<string, unknown>>;

const NEWLINE = 10;
const MAX_OPENING_BYTES = 65_536;
const SEGMENT = /^\d{8}-\d{3,}\.jsonl$/;

/** A folder's segments, oldest first; also while another process writes the newest one. */
export async function* readSegments(folder: string, disk: Disk): AsyncGenerator<Segment> {
  const names = await segmentNames(folder, disk);
  const seals = await readSeals(folder, disk, names);
  for (const name of names) {
    const bytes = await disk.read(join(folder, name));
    if (!bytes) continue;
    const sealed = seals.has(name);
    yield {
      name,
      bytes: bytes.lastIndexOf(NEWLINE) + 1,
      sealed,
      ...parse(name, bytes.subarray(0, seals.get(name))),
    };
  }
}

/** Flushes what an earlier writer may have left in the cache: only then may recovery build on what it reads. */
export async function settleJournal(folder: string, disk: Disk): Promise<void> {
  const names = await segmentNames(folder, disk);
  for (const name of names.slice(-2)) await disk.syncFile(join(folder, name));
  if (names.length > 0) await disk.syncFolder(folder);
}

async function segmentNames(folder: string, disk: Disk): Promise<string[]> {
  return (await disk.list(folder)).filter((name) => SEGMENT.test(name));
}

/** Every segment's first record says how many bytes count of the segments before it. */
async function readSeals(folder: string, disk: Disk, names: readonly string[]): Promise<Map<string, number>> {
  const seals = new Map<string, number>();
  for (const name of names.slice(1)) {
    const head = await disk.read(join(folder, name), MAX_OPENING_BYTES);
    const end = head?.indexOf(NEWLINE) ?? -1;
    const sealed = end === -1 ? undefined : fromLine(head!.subarray(0, end))?.["seals"];
    if (typeof sealed !== "object" || sealed === null) continue;
    for (const [earlier, bytes] of Object.entries(sealed))
      if (typeof bytes === "number") seals.set(earlier, bytes);
  }
  return seals;
}

function parse(file: string, bytes: Buffer): Pick<Segment, "records" | "damages"> {
  const records: StoredRecord[] = [];
  const damages: Damage[] = [];
  eachLine(bytes, (line, offset) => {
    const record = fromLine(line);
    if (!record) damages.push({ file, offset, bytes: line });
    else if (record["kind"] === "opened" && record["format"] !== 1) {
      throw new LegionError(
        "DAMAGED",
        `${file} was written by a newer version (format ${String(record["format"])}).`,
      );
    } else records.push(record as StoredRecord);
  });
  return { records, damages };
}

/**
 * Goes on after `last`, sealing the `unsealed` segments in the first segment it writes. It creates no
 * file before the first record.
 */
export function openJournal(
  options: JournalOptions,
  last: number,
  unsealed: readonly SegmentLength[],
): Journal {
  const { disk, folder, epoch } = options;
  let part = 0;
  let file: AppendFile | undefined;
  let bytes = 0;
  const names = unsealed.map(({ name }) => name);
  let seals: SegmentLength[] = [...unsealed];
  let dead: LegionError | undefined;
  let written = 0;
  let durable = 0;
  let flushing: Promise<void> | undefined;
  let created = false;
  const unflushed = new Set<AppendFile>();

  const stamp = <R extends { readonly kind: string }>(record: R): R & JournalRecord => {
    const at = new Date(options.now()).toISOString();
    return { seq: ++last, epoch, at, ...record };
  };
  const put = (record: object): void => {
    const line = Buffer.from(toLine(record));
    file!.write(line);
    unflushed.add(file!);
    bytes += line.length;
    written++;
  };
  const beginSegment = (): void => {
    const name = `${String(epoch).padStart(8, "0")}-${String(part++).padStart(3, "0")}.jsonl`;
    file?.close();
    file = disk.create(join(folder, name));
    names.push(name);
    created = true;
    bytes = 0;
    put(
      stamp({
        kind: "opened",
        ...options.opening(),
        seals: Object.fromEntries(seals.map((s) => [s.name, s.bytes])),
      }),
    );
    seals = [];
  };
  const rotate = (): void => {
    if (file && bytes < options.maxPartBytes) return;
    if (file) seals.push({ name: file.path.slice(folder.length + 1), bytes });
    beginSegment();
  };
  const flush = async (): Promise<void> => {
    const upTo = written;
    if (options.durability === "disk") {
      const targets = [...unflushed];
      unflushed.clear();
      for (const target of targets) await target.sync();
      if (created) await disk.syncFolder(folder);
      created = false;
    }
    if (!options.held())
      throw new LegionError("STORAGE", `${folder}: another process has taken over this directory.`);
    durable = upTo;
  };
  const die = (error: unknown): never => {
    dead ??=
      error instanceof LegionError ? error : new LegionError("STORAGE", String(error), { cause: error });
    throw dead;
  };
  return {
    get last() {
      return last;
    },
    write(record) {
      if (dead) throw dead;
      try {
        rotate();
        const stamped = stamp(record);
        put(stamped);
        return stamped;
      } catch (error) {
        return die(error);
      }
    },
    async commit() {
      const mine = written;
      while (durable < mine) {
        if (dead) throw dead;
        flushing ??= flush()
          .catch(die)
          .finally(() => (flushing = undefined));
        await flushing;
      }
    },
    async dropThrough(seq) {
      if (seq < last || dead) return;
      const doomed = names.splice(0);
      file?.close();
      file = undefined;
      seals = [];
      for (const name of doomed) await disk.remove(join(folder, name));
    },
    async close() {
      if (!dead && durable < written) await this.commit();
      file?.close();
    },
  };
}
