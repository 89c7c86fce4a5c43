// A folder of segments, appended to by one process at a time. The event log and the mailbox are both journals.
//
//   J1. A record counts once `commit` has resolved: written, flushed, and the lock still ours, in this order.
//   J2. Nothing is rewritten. What a dead writer left unacknowledged is sealed off by the next segment, not cut.
//   J3. A damaged line never becomes a record and never hides the ones after it.
//   J4. Any number of concurrent commits share one flush.

import { join } from "node:path";
import { LegionError, messageOf } from "../../../base/errors.ts";
import type { AppendFile, Disk } from "../../../base/files/disk.ts";
import type { Durability } from "../../contract/node.ts";
import type { Clock } from "../../../base/clock.ts";
import { toLine } from "../../folder/line.ts";
import type { Lock } from "../../folder/lock.ts";
import type { Authorship } from "../../folder/person/authorship.ts";
import { comparePlaces, placeOf } from "./segments.ts";
import type { JournalRecord, Segment } from "./segments.ts";
import { segmentName, type SegmentPlace } from "../../folder/series.ts";

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
  /** Nobody has written since its newest segment was closed as it should be: this journal goes on in that. */
  readonly goesOn?: true;
}

export interface SegmentEnd extends Pick<Segment<JournalRecord>, "name" | "bytes" | "sealed"> {
  /** The highest sequence number in it or before it. */
  readonly last: number;
}

export interface Journal {
  /** The highest sequence number; 0 when empty. */
  readonly last: number;
  /**
   * Stamps and writes records, in order; durable with the next `commit`. Throws STORAGE if the journal is dead, and
   * whatever JSON.stringify throws: then nothing was written.
   */
  write<R extends { readonly kind: string }>(records: readonly R[]): readonly (R & JournalRecord)[];
  /** Resolves when everything written so far is as durable as promised. Rejects with STORAGE; then it is dead. */
  commit(): Promise<void>;
  /** Removes the segments that hold nothing after `seq`; the one that grows stays until the journal is closed. */
  dropThrough(seq: number): Promise<void>;
  /** Where another journal goes on in place of this one, which is dead. Rejects with STORAGE if the lock is not ours. */
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
  return {
    get last() {
      return last;
    },
    write(records) {
      if (dead) throw dead;
      if (records.length === 0) return [];
      const stamp = createStamp(last, lock.epoch, clock.now());
      const opening = parts.opening();
      const opened = opening ? [stamp(opening)] : [];
      const stamped = records.map((record) => stamp(record));
      // Before anything changes: what JSON cannot hold is its writer's mistake, and no reason to die.
      const bytes = Buffer.from([...opened, ...stamped].map(toLine).join(""));
      try {
        if (opening) parts.begin();
        parts.append(bytes, stamped.at(-1)!.seq);
      } catch (error) {
        die(error);
      }
      last = stamped.at(-1)!.seq;
      return stamped;
    },
    commit: () => flushes.cover(last),
    dropThrough: (seq) => parts.dropThrough(seq),
    async acknowledged() {
      // A flush that began before the failure may still succeed.
      await flushes.current();
      // Whoever has taken over may count what nobody was promised: it is no longer ours to remove.
      if (!lock.held()) throw takenOver(folder);
      return { segments: await parts.acknowledged(), last: flushes.reached() };
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
  return new LegionError("STORAGE", `${folder}: another process has taken over this directory.`);
}

/** Numbers records from `last` on. */
function createStamp(last: number, epoch: number, nowMs: number) {
  const at = new Date(nowMs).toISOString();
  return <R extends object>(record: R) => ({ seq: ++last, epoch, at, ...record });
}

/**
 * One flush after the other; whoever asks while one is under way shares the next one. `flush` resolves with the highest
 * sequence number that it covered, `reached` is that so far.
 */
function shareFlushes(flush: () => Promise<number>, reached: number) {
  let flushing: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    try {
      reached = await flush();
    } finally {
      flushing = undefined;
    }
  };
  return {
    reached: () => reached,
    /** Resolves when a flush has covered `seq`. Rejects as it did. */
    async cover(seq: number): Promise<void> {
      while (reached < seq) await (flushing ??= run());
    },
    /** Resolves when no flush is under way, whatever came of it. */
    current: async (): Promise<void> => flushing?.catch(() => undefined),
  };
}

/** A segment of the folder; those that this journal began have a file. */
interface Part {
  readonly name: string;
  readonly sealed: boolean;
  readonly file: AppendFile | undefined;
  bytes: number;
  last: number;
  /** Its end as far as it was acknowledged. */
  durable: { readonly bytes: number; readonly last: number };
}

const NOTHING = { bytes: 0, last: 0 };

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
    begin(): void {
      growing?.file?.close();
      newest = { epoch: newest.epoch, part: newest.part + 1 };
      const name = segmentName(newest);
      const file = disk.create(join(folder, name));
      growing = { name, file, sealed: false, bytes: 0, last: 0, durable: NOTHING };
      unsealed = [growing];
      parts.push(growing);
    },
    append(bytes: Buffer, last: number): void {
      growing!.file!.write(bytes);
      growing!.bytes += bytes.length;
      growing!.last = last;
    },
    /** Makes everything appended so far as durable as promised. Returns how to say that it counts. */
    async settle(): Promise<() => void> {
      const ends = parts
        .filter((part) => part.bytes > part.durable.bytes)
        .map((part) => ({ part, durable: { bytes: part.bytes, last: part.last } }));
      if (options.durability === "disk") for (const { part } of ends) await part.file!.sync();
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

/** The first record of a segment that seals `unsealed`. */
function openingOf({ opening, name, lock, authorship }: JournalOptions, unsealed: readonly Part[]) {
  const seals = Object.fromEntries(unsealed.map((part) => [part.name, part.bytes]));
  const mac = authorship?.sign(name, lock.epoch);
  return { kind: "opened", format: 1, ...opening, ...(mac && { mac }), seals };
}

/** @param extended that of the newest, where it grows on */
function partsOf(segments: readonly SegmentEnd[], extended: AppendFile | undefined): Part[] {
  return segments.map((end, at) => ({
    ...end,
    file: at === segments.length - 1 ? extended : undefined,
    durable: end,
  }));
}

/** After all that is there: also if the folder of locks was deleted and its numbers begin again. */
function newestPlace(segments: readonly SegmentEnd[], epoch: number): SegmentPlace {
  return segments
    .map(({ name }) => placeOf(name))
    .reduce<SegmentPlace>((a, b) => (b && comparePlaces(b, a) > 0 ? b : a), { epoch, part: -1 });
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
