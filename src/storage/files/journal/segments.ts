// The reading half of a journal: a folder of segments `<epoch>-<part>.jsonl`, one record a line. What counts of a
// segment is told by the ones after it: the first record of each seals off what earlier writers left unacknowledged.

import { basename, join } from "node:path";
import { LegionError } from "../../../base/errors.ts";
import { isLogFormat } from "../../../domain/event/event.ts";
import type { Disk } from "../../../base/files/disk.ts";
import { fromLine, linesIn, piecesOf } from "../../folder/line.ts";
import type { Authorship } from "../../folder/person/authorship.ts";
import { readBehind } from "./behind.ts";
import { segmentName, type SegmentPlace } from "../../folder/series.ts";

export interface JournalRecord {
  readonly seq: number;
  readonly epoch: number;
  readonly at: string;
  readonly kind: string;
}

export type StoredRecord = JournalRecord & Readonly<Record<string, unknown>>;

/** A line that is not what was written; records may have been found in it all the same. */
export interface Damage {
  readonly file: string;
  readonly offset: number;
  readonly bytes: Buffer;
}

/** What counts of one segment, in order; where not all is wanted, mostly without what stands before that. */
export interface Segment<R extends JournalRecord> {
  readonly name: string;
  /** Up to the end of its last record or line. */
  readonly bytes: number;
  /** A later segment says how many of its bytes count. */
  readonly sealed: boolean;
  readonly records: readonly R[];
  readonly damages: readonly Damage[];
  /** How many pieces of damaged lines come after its last record. */
  readonly trailing: number;
}

/** The first record of a segment. */
export interface Opening extends JournalRecord {
  readonly format: number;
  /** Only in a log: its id. */
  readonly log?: unknown;
  /** Who wrote it; see `Authorship`. */
  readonly mac?: unknown;
  /** Only in a log: `signed` if the record beside it is. */
  readonly record?: unknown;
  /** Bytes that count of each earlier segment not sealed before. */
  readonly seals: Readonly<Record<string, number>>;
}

const NEWLINE = 10;
const MAX_OPENING_BYTES = 16_384;
const SEGMENT = /^(\d{8,})-(\d{3,})\.jsonl$/;

/** `undefined` for a file that is no segment. */
export function placeOf(name: string): SegmentPlace | undefined {
  const match = SEGMENT.exec(name);
  const place = { epoch: Number(match?.[1]), part: Number(match?.[2]) };
  return match && segmentName(place) === name ? place : undefined;
}

/** For sorting: negative if `a` comes before `b`. */
export function comparePlaces(a: SegmentPlace, b: SegmentPlace): number {
  return a.epoch - b.epoch || a.part - b.part;
}

/**
 * A folder's segments that hold records from `from` on, oldest first; also while another process writes the newest one.
 * `R` is what the writer of the folder puts into it. Throws DAMAGED if a newer version wrote to it.
 *
 * @param ends how many bytes count of segments that no later one seals; none of a segment that is not in it
 */
export async function* readSegments<R extends JournalRecord = StoredRecord>(
  folder: string,
  disk: Disk,
  from = 1,
  ends?: ReadonlyMap<string, number>,
): AsyncGenerator<Segment<R>> {
  let last = 0;
  for await (const { name, path, part, limit, sealed } of readParts(folder, disk, from, ends)) {
    const parsed = parse<R>(path, part.bytes, { start: part.offset, last, limit });
    last = parsed.records.at(-1)?.seq ?? last;
    yield { name, sealed, ...parsed };
  }
}

/** The same records, segment by segment, each read when it is asked for: whoever has enough does not read on. */
export async function* readRecords<R extends JournalRecord = StoredRecord>(
  folder: string,
  disk: Disk,
  from = 1,
): AsyncGenerator<Iterable<R>> {
  let last = 0;
  for await (const { path, part, limit } of readParts(folder, disk, from)) {
    const extent = { start: part.offset, last, limit };
    yield (function* () {
      for (const record of recordsIn<R>(path, part.bytes, extent)) {
        last = record.seq;
        yield record;
      }
    })();
  }
}

async function* readParts(folder: string, disk: Disk, from: number, ends?: ReadonlyMap<string, number>) {
  const { names, seals, limits } = await readSeals(folder, disk);
  for (const [index, name] of names.entries()) {
    const limit = limits[index] ?? Infinity;
    if (limit <= from) continue;
    const path = join(folder, name);
    const part = await readBehind(path, disk, {
      from,
      end: seals.get(name) ?? (ends && (ends.get(name) ?? 0)),
    });
    // A mailbox drops what was taken; also while it is read.
    if (part) yield { name, path, part, limit, sealed: seals.has(name) };
  }
}

/** The segments, oldest first; how many bytes of each count; and the lowest sequence number that each cannot hold. */
export async function readSeals(folder: string, disk: Disk) {
  const names = await segmentNames(folder, disk);
  const openings: (Opening | undefined)[] = [];
  for (const [index, name] of names.entries())
    openings.push(index === 0 ? undefined : await readOpening(join(folder, name), disk));
  const seals = new Map(openings.flatMap((opening) => Object.entries(opening?.seals ?? {})));
  const newest = Math.max(0, ...names.map((name, index) => (openings[index] ? placeOf(name)!.epoch : 0)));
  // One that nobody sealed may be of a writer that had been taken over: it says nothing about the others.
  const isTrusted = (name: string): boolean => seals.has(name) || placeOf(name)!.epoch >= newest;
  const limits = limitsOf(openings.map((opening, index) => (isTrusted(names[index]!) ? opening : undefined)));
  return { names, seals, limits: limits.slice(1) };
}

/** Flushes what an earlier writer may have left in the cache: only then may recovery build on what it reads. */
export async function settleSegments(folder: string, disk: Disk): Promise<void> {
  const names = await segmentNames(folder, disk);
  for (const name of names.slice(-2)) await disk.sync(join(folder, name));
  if (names.length > 0) await disk.sync(folder);
}

/** Oldest first. */
export async function segmentNames(folder: string, disk: Disk): Promise<readonly string[]> {
  const places = (await disk.list(folder)).map(placeOf).filter((place) => place !== undefined);
  return places.sort(comparePlaces).map(segmentName);
}

/** The first record of a segment; `undefined` if its line is damaged, or not written yet. */
export async function readOpening(path: string, disk: Disk): Promise<Opening | undefined> {
  const head = await disk.read(path, MAX_OPENING_BYTES);
  const end = head?.indexOf(NEWLINE) ?? -1;
  const opening = end === -1 ? undefined : fromLine<Opening>(head!.subarray(0, end));
  if (opening) refuseNewer(path, opening);
  return opening?.kind === "opened" ? opening : undefined;
}

/**
 * The first record of the newest segment that has one; `unreadable` if there are records and none of that kind, `undefined`
 * if there is nothing. A segment whose first line is damaged counts for the one before it.
 */
export async function newestOpening(folder: string, disk: Disk): Promise<Opening | "unreadable" | undefined> {
  let found: "unreadable" | undefined;
  for (const name of (await segmentNames(folder, disk)).toReversed()) {
    const file = join(folder, name);
    const opening = await readOpening(file, disk);
    if (opening) return opening;
    const bytes = (await disk.read(file)) ?? Buffer.alloc(0);
    if (parse(file, bytes, ALL).records.length > 0) found = "unreadable";
  }
  return found;
}

/**
 * Did somebody else write the newest segment of the journal in `folder`? Whoever goes on in a journal has seen who wrote it
 * before: so an own segment stands for all that are older. False for a journal that holds nothing.
 *
 * @param of the mailbox's name; a log names itself
 */
export async function isForeignJournal(
  folder: string,
  disk: Disk,
  { authorship, of }: { readonly authorship: Authorship; readonly of?: string },
): Promise<boolean> {
  const opening = await newestOpening(folder, disk);
  if (opening === undefined || opening === "unreadable") return opening !== undefined;
  const { mac, log, epoch } = opening;
  return !authorship.isOwn(mac, of ?? String(log), epoch);
}

/**
 * For each segment the lowest sequence number that it cannot hold, because a later one begins with it: a writer that
 * was taken over may have gone on in a segment that nobody knew of when the others were sealed.
 */
function limitsOf(openings: readonly (Opening | undefined)[]): readonly number[] {
  let lowest = Infinity;
  return openings
    .toReversed()
    .map((opening) => (lowest = Math.min(lowest, opening?.seq ?? Infinity)))
    .toReversed();
}

interface Extent {
  /** Where in the segment it begins. */
  readonly start: number;
  /** Was read before it. */
  readonly last: number;
  /** The lowest sequence number that it cannot hold. */
  readonly limit: number;
}

const ALL: Extent = { start: 0, last: 0, limit: Infinity };

function parse<R extends JournalRecord>(
  file: string,
  bytes: Buffer,
  extent: Extent,
): Pick<Segment<R>, "bytes" | "records" | "damages" | "trailing"> {
  const records: R[] = [];
  const reading = recordsIn<R>(file, bytes, extent);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return { records, ...value };
    records.push(value);
  }
}

/** What counts of a segment, one record at a time; at its end what else is to be said of it. */
function* recordsIn<R extends JournalRecord>(
  file: string,
  bytes: Buffer,
  { start, last, limit }: Extent,
): Generator<R, Pick<Segment<R>, "bytes" | "damages" | "trailing">> {
  const damages: Damage[] = [];
  let newest = last;
  let trailing = 0;
  const counts = (record: R): boolean => {
    refuseNewer(file, record);
    if (record.seq <= newest || record.seq >= limit) return false;
    newest = record.seq;
    trailing = 0;
    return true;
  };
  for (const [line, offset] of linesIn(bytes)) {
    const whole = fromLine<R>(line);
    if (whole) {
      if (counts(whole)) yield whole;
      continue;
    }
    damages.push({ file, offset: start + offset, bytes: line });
    for (const piece of piecesOf(line)) {
      const record = fromLine<R>(piece);
      if (!record) trailing++;
      else if (counts(record)) yield record;
    }
  }
  const tail = bytes.lastIndexOf(NEWLINE) + 1;
  let end = tail;
  // A torn line is nothing, and no damage; but the newline may be all that is missing of a whole one.
  for (const piece of piecesOf(bytes.subarray(tail))) {
    const record = fromLine<R>(piece);
    if (!record || !counts(record)) continue;
    end = bytes.length;
    yield record;
  }
  return { bytes: start + end, damages, trailing };
}

function refuseNewer(path: string, record: JournalRecord & { readonly format?: unknown }): void {
  if (record.kind !== "opened") return;
  // There is one format of mailboxes.
  if ("log" in record ? isLogFormat(record.format) : record.format === 1) return;
  throw new LegionError(
    "DAMAGED",
    `${path} was written by a newer version (format ${String(record.format)}).`,
  );
}

/** Keeps a copy of each damage in a file of its own, whose path begins with `prefix`; once. */
export async function setAside(damages: readonly Damage[], prefix: string, disk: Disk): Promise<void> {
  for (const damage of damages) {
    const path = asidePath(damage, prefix);
    if (!disk.exists(path)) await disk.replace(path, damage.bytes);
  }
}

/** Where `setAside` keeps the copy of a damage. */
export function asidePath({ file, offset }: Damage, prefix: string): string {
  return `${prefix}-${basename(file)}-${offset}`;
}
