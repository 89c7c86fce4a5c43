// A folder of segments, appended to by one process at a time. The event log and the mailbox are both journals.
//
//   J1. A record counts once `commit` has resolved: written, flushed, and the lock still ours, in this order.
//   J2. Nothing is rewritten. What a dead writer left unacknowledged is sealed off by the next segment, not cut.
//   J3. A damaged line never becomes a record and never hides the ones after it.
//   J4. Any number of concurrent commits share one flush.

import { join } from "node:path";
import { crc32 } from "node:zlib";
import { LegionError, messageOf } from "../../../base/errors.ts";
import { tellTrouble } from "../../../base/process/measured.ts";
import type { AppendFile, Disk } from "../../../base/files/disk.ts";
import type { Durability } from "../../contract/node.ts";
import type { Clock } from "../../../base/clock.ts";
import { toLine } from "../../folder/line.ts";
import type { Lock } from "../../folder/lock.ts";
import type { Authorship } from "../../folder/person/authorship.ts";
import { shareFlushes } from "./flushes.ts";
import { newestPlace } from "./segments.ts";
import type { JournalRecord } from "./scan.ts";
import type { Segment } from "./segments.ts";
import { segmentName } from "../../folder/series.ts";

/** Who writes, and how well it is kept. */
export interface JournalWriter {
  readonly disk: Disk;
  readonly lock: Pick<Lock, "epoch" | "held">;
  readonly durability: Durability;
  readonly clock: Pick<Clock, "now">;
  /** Signs each segment; absent: nothing is signed. */
  readonly authorship?: Pick<Authorship, "sign">;
}

/** Writes where nobody else can be. */
export function soleWriter(
  disk: Disk,
  epoch: number,
  authorship?: JournalWriter["authorship"],
): JournalWriter {
  return { disk, lock: { epoch, held: () => true }, durability: "disk", clock: Date, authorship };
}

export interface JournalOptions extends JournalWriter {
  readonly folder: string;
  /** What it is signed under. */
  readonly name: string;
  readonly maxPartBytes: number;
  /** Further fields of the first record of each segment; `format` is 1 where it is not among them. */
  readonly opening?: object;
}

/** Where a journal goes on: behind what was found of it, or behind what a dead one had acknowledged. */
export interface JournalStart {
  /** The highest sequence number. */
  readonly last: number;
  readonly segments: readonly SegmentEnd[];
  /** Its newest segment ends with the last record that was acknowledged, and may be gone on in. */
  readonly goesOn?: true | undefined;
}

export interface SegmentEnd extends Pick<Segment<JournalRecord>, "name" | "bytes" | "sealed"> {
  /** The highest sequence number in it or before it. */
  readonly last: number;
  /** The CRC-32 of its bytes, where that is known. */
  readonly sum?: number | undefined;
}

export interface Journal {
  /** The highest sequence number; 0 when empty. */
  readonly last: number;
  /**
   * Stamps and writes records, in order; durable with the next `commit`. Throws STORAGE if the journal is dead, and
   * whatever JSON.stringify throws: then nothing was written.
   */
  write<R extends { readonly kind: string }>(records: readonly R[]): readonly (R & JournalRecord)[];
  /** Where the next record would begin a segment, it is begun at once: so readers stop at what counts, too. Throws STORAGE. */
  seal(): void;
  /** Resolves when everything written so far is as durable as promised. Rejects with STORAGE; then it is dead. */
  commit(): Promise<void>;
  /** Where its segments end by now. */
  ends(): readonly SegmentEnd[];
  /** Removes the segments that hold nothing after `seq`; the one that grows stays until the journal is closed. */
  dropThrough(seq: number): Promise<void>;
  /** Where another journal goes on in place of this one, which writes no more. Rejects with STORAGE if the lock is not ours. */
  acknowledged(): Promise<JournalStart>;
  /** Commits what is written. Nothing can be written any more, whether it resolves or rejects. */
  close(): Promise<void>;
}

/** Goes on where `start` says. Creates no file before the first record. */
export function openJournal(options: JournalOptions, start: JournalStart): Journal {
  const { folder, lock, clock } = options;
  const parts = openParts(options, start);
  let last = start.last;
  let dead: LegionError | undefined;
  const die = (error: unknown): never => {
    dead ??= storageError(folder, error);
    throw dead;
  };
  const flush = async (): Promise<number> => {
    if (dead) throw dead;
    const upTo = last;
    const acknowledge = await parts.settle();
    if (!lock.held()) throw takenOver(folder);
    acknowledge();
    return upTo;
  };
  const flushes = shareFlushes(() => flush().catch(die), last);
  const put = <R extends { readonly kind: string }>(records: readonly R[]) => {
    if (dead) throw dead;
    const opening = parts.opening();
    const stamp = createStamp(last, lock.epoch, clock.now());
    // Before anything changes: what JSON cannot hold is its writer's mistake, and no reason to die.
    const { stamped, bytes, end } = stampAll(records, opening, stamp);
    try {
      if (opening) parts.begin();
      parts.append(bytes, end);
    } catch (error) {
      die(error);
    }
    last = end;
    return stamped;
  };
  return {
    get last() {
      return last;
    },
    write: (records) => (records.length > 0 ? put(records) : []),
    seal: () => void (parts.opening() && put([])),
    commit: () => flushes.cover(last),
    ends: () => parts.ends(),
    dropThrough: (seq) => parts.dropThrough(seq),
    async acknowledged() {
      // A flush that began before the failure may still succeed.
      await flushes.current();
      // Whoever has taken over may count what nobody was promised: it is no longer ours to remove.
      if (!lock.held()) throw takenOver(folder);
      const goesOn = !dead && flushes.reached() === last && parts.grow() ? true : undefined;
      return { segments: await parts.acknowledged(), last: flushes.reached(), goesOn };
    },
    async close() {
      try {
        if (!dead) await flushes.cover(last);
      } finally {
        dead ??= new LegionError("STORAGE", `${folder} is closed.`);
        parts.close();
      }
    },
  };
}

function storageError(folder: string, error: unknown): LegionError {
  if (error instanceof LegionError) return error;
  return new LegionError("STORAGE", `${folder}: ${messageOf(error)}`, { cause: error });
}

function takenOver(folder: string): LegionError {
  tellTrouble("taken");
  return new LegionError("STORAGE", `${folder}: another process has taken over this directory.`);
}

type Stamper = ReturnType<typeof createStamp>;

/** Numbers records from `last` on. */
function createStamp(last: number, epoch: number, nowMs: number) {
  const at = new Date(nowMs).toISOString();
  return <R extends object>(record: R) => ({ seq: ++last, epoch, at, ...record });
}

/** @param opening stands before them @returns also their lines, and the highest number */
function stampAll<R extends object>(records: readonly R[], opening: object | undefined, stamp: Stamper) {
  const opened = opening ? [stamp(opening)] : [];
  const stamped = records.map((record) => stamp(record));
  const all = [...opened, ...stamped];
  return { stamped, bytes: Buffer.from(all.map(toLine).join("")), end: all.at(-1)!.seq };
}

/** A segment of the folder; those that this journal writes to have a file. */
interface Part {
  readonly name: string;
  readonly sealed: boolean;
  /** An earlier writer began it, and may still have it open. */
  readonly isShared?: true | undefined;
  readonly file: AppendFile | undefined;
  bytes: number;
  last: number;
  sum?: number | undefined;
  /** Its end as far as it was acknowledged. */
  durable: Pick<SegmentEnd, "bytes" | "last" | "sum">;
}

const NOTHING = { bytes: 0, last: 0, sum: 0 };

/** The segments of one journal. The newest of its own grows. */
function openParts(options: JournalOptions, { segments, goesOn }: JournalStart) {
  const { disk, folder } = options;
  let parts = partsOf(segments, goesOn && disk.extend(join(folder, segments.at(-1)!.name)));
  let unsealed = parts.filter(({ sealed }) => !sealed);
  let growing = parts.findLast(({ file }) => file);
  let newest = newestPlace(segments, options.lock.epoch);
  const remove = createRemoval(folder, disk);
  const close = (): void => {
    growing?.file?.close();
    growing = undefined;
  };
  return {
    /** `undefined` if the next record needs no new part. */
    opening: () =>
      growing && growing.bytes < options.maxPartBytes ? undefined : openingOf(options, unsealed),
    grow: () => growing !== undefined,
    begin(): void {
      growing?.file?.close();
      newest = { epoch: newest.epoch, part: newest.part + 1 };
      const name = segmentName(newest);
      const file = disk.create(join(folder, name));
      growing = { name, file, sealed: false, ...NOTHING, durable: NOTHING };
      unsealed = [growing];
      parts.push(growing);
    },
    append(bytes: Buffer, last: number): void {
      growing!.file!.write(bytes);
      grow(growing!, bytes, last);
    },
    ends: (): readonly SegmentEnd[] => parts.map(endOf),
    /** Makes everything appended so far as durable as promised. Returns how to say that it counts. */
    async settle(): Promise<() => void> {
      const ends = parts
        .filter((part) => part.bytes > part.durable.bytes)
        .map((part) => ({ part, durable: { bytes: part.bytes, last: part.last, sum: part.sum } }));
      for (const { part } of ends) await settlePart(part, options);
      return () => {
        for (const { part, durable } of ends) {
          part.durable = durable;
          if (part !== growing) part.file!.close();
        }
      };
    },
    dropThrough(seq: number): Promise<void> {
      const doomed = parts.filter((part) => part !== growing && part.last <= seq);
      parts = parts.filter((part) => !doomed.includes(part));
      unsealed = unsealed.filter((part) => !doomed.includes(part));
      return remove(doomed);
    },
    /** Removes what was begun and never acknowledged. */
    async acknowledged(): Promise<readonly SegmentEnd[]> {
      close();
      await remove(parts.filter(({ durable }) => durable.bytes === 0));
      return parts
        .filter(({ durable }) => durable.bytes > 0)
        .map(({ name, sealed, durable }) => ({ name, sealed, ...durable }));
    },
    close,
  };
}

function grow(part: Part, bytes: Buffer, last: number): void {
  part.bytes += bytes.length;
  part.last = last;
  if (part.sum !== undefined) part.sum = crc32(bytes, part.sum);
}

function endOf({ name, sealed, bytes, last, sum }: Part): SegmentEnd {
  return { name, sealed, bytes, last, sum };
}

/** Makes what was appended to it as durable as promised. Rejects with STORAGE if somebody else has written to it. */
async function settlePart(part: Part, { folder, disk, durability }: JournalOptions): Promise<void> {
  if (durability === "disk") await part.file!.sync();
  // Whoever was taken over and does not know yet: what they wrote would be read in place of what follows it.
  if (part.isShared && (await disk.size(join(folder, part.name))) !== part.bytes) throw takenOver(folder);
}

/** The first record of a segment that seals `unsealed`. */
function openingOf({ opening, name, lock, authorship }: JournalOptions, unsealed: readonly Part[]) {
  const seals = Object.fromEntries(unsealed.map((part) => [part.name, part.bytes]));
  const mac = authorship?.sign(name, lock.epoch);
  return { kind: "opened", format: 1, ...opening, ...(mac && { mac }), seals };
}

/** @param extended that of the newest, where it grows on */
function partsOf(segments: readonly SegmentEnd[], extended: AppendFile | undefined): Part[] {
  const older = segments.map((end): Part => ({ ...end, file: undefined, durable: end }));
  if (extended) older.push({ ...older.pop()!, file: extended, isShared: true });
  return older;
}

/** Removes files one after the other, in the order of the calls: what seals the others off goes last. */
function createRemoval(folder: string, disk: Disk): (parts: readonly Part[]) => Promise<void> {
  let removing = Promise.resolve();
  return (parts) => {
    const remove = async (): Promise<void> => {
      for (const { name } of parts) await disk.remove(join(folder, name));
    };
    removing = removing.then(remove, remove);
    return removing;
  };
}
