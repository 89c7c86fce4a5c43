// The reading half of a journal: a folder of segments `<epoch>-<part>.jsonl`, one record a line. What counts of a
// segment is told by the ones after it: the first record of each seals off what earlier writers left unacknowledged.

import { basename, join } from "node:path";
import type { Disk } from "../../../base/files/disk.ts";
import { fromLine } from "../../folder/line.ts";
import type { Authorship } from "../../folder/person/authorship.ts";
import { readBehind } from "./behind.ts";
import { parse, refuseNewer, scan } from "./scan.ts";
import type { Damage, JournalRecord, SegmentBytes, SegmentRest } from "./scan.ts";
import { segmentName, type SegmentPlace } from "../../folder/series.ts";

export type StoredRecord = JournalRecord & Readonly<Record<string, unknown>>;

/** What counts of one segment, in order; where not all is wanted, mostly without what stands before that. */
export interface Segment<R extends JournalRecord> extends SegmentRest {
  readonly name: string;
  /** A later segment says how many of its bytes count. */
  readonly sealed: boolean;
  readonly records: readonly R[];
}

/** The same while it is read. */
export interface OpenSegment<R extends JournalRecord>
  extends Pick<Segment<R>, "name" | "sealed">, SegmentBytes {
  /** Each is read when it is asked for. */
  readonly records: Iterable<R>;
  /** Of all that were asked for: to be called behind the last one. */
  rest(): SegmentRest;
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
/** So many segments are looked at side by side. */
const AT_ONCE = 32;
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

/** After all that is there: also if the folder of locks was deleted and its numbers begin again. */
export function newestPlace(segments: readonly { readonly name: string }[], epoch: number): SegmentPlace {
  return segments
    .map(({ name }) => placeOf(name))
    .reduce<SegmentPlace>((a, b) => (b && comparePlaces(b, a) > 0 ? b : a), { epoch, part: -1 });
}

/** What is known of where segments end. */
export interface KnownEnds {
  /** How many bytes count of segments that no later one seals; none of a segment that is not in it. */
  readonly ends?: ReadonlyMap<string, number> | undefined;
  /** What they say of each other, where that was just read; absent: it is read now. */
  readonly seals?: Seals | undefined;
}

/**
 * A folder's segments that hold records from `from` on, oldest first; also while another process writes the newest one.
 * `R` is what the writer of the folder puts into it. Throws DAMAGED if a newer version wrote to it.
 */
export async function* readSegments<R extends JournalRecord = StoredRecord>(
  folder: string,
  disk: Disk,
  from = 1,
  known: KnownEnds = {},
): AsyncGenerator<Segment<R>> {
  let last = 0;
  for await (const { name, sealed, ...part } of readParts(folder, disk, from, known)) {
    const parsed = parse<R>(part, last);
    last = parsed.records.at(-1)?.seq ?? last;
    yield { name, sealed, ...parsed };
  }
}

/** The same records, segment by segment, each read when it is asked for: whoever has enough does not read on. */
export async function* openSegments<R extends JournalRecord = StoredRecord>(
  folder: string,
  disk: Disk,
  from = 1,
  known: KnownEnds = {},
): AsyncGenerator<OpenSegment<R>> {
  let last = 0;
  for await (const part of readParts(folder, disk, from, known)) {
    let rest: SegmentRest = { bytes: part.offset, damages: [], trailing: 0 };
    const records = (function* () {
      const reading = scan<R>(part, last);
      for (let next = reading.next(); ; next = reading.next()) {
        if (next.done) return void (rest = next.value);
        last = next.value.seq;
        yield next.value;
      }
    })();
    yield { ...part, records, rest: () => rest };
  }
}

async function* readParts(folder: string, disk: Disk, from: number, { ends, seals: known }: KnownEnds) {
  const { names, seals, limits } = known ?? (await readSeals(folder, disk));
  for (const [index, name] of names.entries()) {
    const limit = limits[index] ?? Infinity;
    if (limit <= from) continue;
    const path = join(folder, name);
    const part = await readBehind(path, disk, {
      from,
      end: seals.get(name) ?? (ends && (ends.get(name) ?? 0)),
    });
    // A mailbox drops what was taken; also while it is read.
    if (part) yield { name, path, ...part, limit, sealed: seals.has(name) };
  }
}

export interface Seals {
  /** Oldest first. */
  readonly names: readonly string[];
  readonly seals: ReadonlyMap<string, number>;
  /** `Infinity`: no later one says. */
  readonly limits: readonly number[];
}

/** The segments, oldest first; how many bytes of each count; and the lowest sequence number that each cannot hold. */
export async function readSeals(folder: string, disk: Disk): Promise<Seals> {
  const names = await segmentNames(folder, disk);
  const openings: (Opening | undefined)[] = names.slice(0, 1).map(() => undefined);
  for (let first = 1; first < names.length; first += AT_ONCE) {
    const some = names.slice(first, first + AT_ONCE);
    openings.push(...(await Promise.all(some.map((name) => readOpening(join(folder, name), disk)))));
  }
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
    if (parse({ path: file, bytes, offset: 0, limit: Infinity }, 0).records.length > 0) found = "unreadable";
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
