import { createHash } from "node:crypto";
import { join } from "node:path";
import { setImmediate as others } from "node:timers/promises";
import type { Disk } from "../../base/files/disk.ts";
import { redactLong } from "../../base/redaction/long.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import { partsOf } from "../../base/text/parts.ts";
import type { Event, NewEvent } from "../../domain/event/event.ts";

/** A string with more UTF-8 bytes than this is kept beside the log, under their hash. */
export const MAX_INLINE_BYTES = 65_536;
/** The same of what a module found outside: it stands in the log again with each change. */
export const MAX_INLINE_OFFER_BYTES = 4_096;
/** No UTF-16 unit takes more bytes than this. */
const BYTES_PER_UNIT = 3;

export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** The same. Others have their turns meanwhile where it is a long text. */
async function hashOf(content: string | Uint8Array): Promise<string> {
  const parts = typeof content === "string" ? partsOf(content) : [content];
  if (parts.length === 1) return sha256(content);
  const hash = createHash("sha256");
  for (const part of parts) {
    hash.update(part);
    await others();
  }
  return hash.digest("hex");
}

export interface Blobs {
  /** Keeps a text, or bytes, once, and returns the hash. As durable as its log promises when it resolves. */
  keep(content: string | Uint8Array): Promise<string>;
  /** `undefined` if it is not there, is no text, or no longer what was kept. */
  read(hash: string): Promise<string | undefined>;
}

/** Where blobs are files. */
export type BlobDisk = Pick<Disk, "read" | "replace" | "sync">;

export function createBlobs(folder: string, disk: BlobDisk): Blobs {
  return blobsIn({
    read: async (hash) => (await disk.read(join(folder, hash)))?.toString("utf8"),
    async place(hash, content) {
      const path = join(folder, hash);
      if (!(await isKept(hash, await disk.read(path)))) return disk.replace(path, content);
      // Whoever put it there may have ended before it was flushed.
      await disk.sync(path);
      await disk.sync(folder);
    },
  });
}

/** Where texts and bytes are put under their hashes. */
export interface BlobPlace {
  /** As a text, whatever it is. */
  read(hash: string): Promise<string | undefined>;
  /** Durable when it resolves. */
  place(hash: string, content: string | Uint8Array): Promise<void>;
}

export function blobsIn(place: BlobPlace): Blobs {
  /** What was kept, or is being kept, through this object. */
  const kept = new Map<string, Promise<void>>();
  return {
    async read(hash) {
      if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
      const text = await place.read(hash);
      return (await isKept(hash, text)) ? text : undefined;
    },
    async keep(content) {
      const hash = await hashOf(content);
      let placing = kept.get(hash);
      if (!placing) {
        kept.set(hash, (placing = place.place(hash, content)));
        placing.catch(() => kept.delete(hash));
      }
      await placing;
      return hash;
    },
  };
}

/** Keeps texts without their secrets. Of bytes that hold one nothing is left: who knows what would be broken. */
export function redactedBlobs(blobs: Blobs, redactor: Redactor): Blobs {
  const clean = async (content: string | Uint8Array): Promise<string | Uint8Array> => {
    if (typeof content === "string") return redactLong(redactor, content);
    const marks = redactor.marksIn(Buffer.from(content).toString("utf8"));
    return marks.length === 0 ? content : marks.join(" ");
  };
  return { ...blobs, keep: async (content) => blobs.keep(await clean(content)) };
}

async function isKept(hash: string, content: string | Uint8Array | undefined): Promise<boolean> {
  return content !== undefined && (await hashOf(content)) === hash;
}

/** Where something is in a record. */
export type Path = readonly (string | number)[];

/** Where a record's long strings went: `blobs` names their places and hashes, and leaves empty strings there. */
export interface Outlined {
  readonly blobs?: readonly (readonly [path: Path, hash: string])[];
}

/** Where `record` holds strings too long for a line of the log; empty for almost every event. */
export function longStrings(record: object): readonly (readonly [Path, string])[] {
  const most = "kind" in record && record.kind === "offered" ? MAX_INLINE_OFFER_BYTES : MAX_INLINE_BYTES;
  return isAnyLonger(record, most) ? stringsOver(most, record, []) : NONE;
}

const NONE: readonly (readonly [Path, string])[] = [];

/** Of almost every event it is not so: nothing is put together to find that out. */
function isAnyLonger(value: unknown, most: number): boolean {
  if (typeof value === "string") return isLonger(value, most);
  if (typeof value !== "object" || value === null) return false;
  for (const key in value) if (isAnyLonger((value as Record<string, unknown>)[key], most)) return true;
  return false;
}

function stringsOver(most: number, value: unknown, path: Path): [Path, string][] {
  if (typeof value !== "object" || value === null) return [];
  const found: [Path, string][] = [];
  for (const [key, item] of Object.entries(value)) {
    const place: Path = [...path, Array.isArray(value) ? Number(key) : key];
    if (typeof item !== "string") found.push(...stringsOver(most, item, place));
    else if (isLonger(item, most)) found.push([place, item]);
  }
  return found;
}

function isLonger(text: string, most: number): boolean {
  return text.length * BYTES_PER_UNIT > most && Buffer.byteLength(text) > most;
}

/** `record` with the strings that `longStrings` found kept as blobs. */
export async function outline<R extends object>(
  record: R,
  long: readonly (readonly [Path, string])[],
  blobs: Blobs,
): Promise<R & Outlined> {
  if (long.length === 0) return record;
  const places: [Path, string][] = [];
  let outlined: unknown = record;
  for (const [path, text] of long) {
    places.push([path, await blobs.keep(text)]);
    outlined = replaceAt(outlined, path, "");
  }
  return { ...(outlined as R), blobs: places };
}

/** The record as it was before `outline`. A blob that is lost reads as a sentence that says so. */
export async function inline<R extends object>(record: R & Outlined, blobs: Blobs): Promise<R> {
  if (!record.blobs) return record;
  const { blobs: places, ...outlined } = record;
  let whole: unknown = outlined;
  for (const [path, hash] of places)
    whole = replaceAt(whole, path, (await blobs.read(hash)) ?? `(lost: blob ${hash})`);
  return whole as R;
}

/** The same value with `placed` at `path`. */
export function replaceAt(value: unknown, path: Path, placed: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return placed;
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (index === key ? replaceAt(item, rest, placed) : item));
  const record = value as Readonly<Record<string, unknown>>;
  return { ...record, [key]: replaceAt(Object.hasOwn(record, key) ? record[key] : undefined, rest, placed) };
}

/**
 * Has `write` write events in the order of the calls; their long strings as blobs, which are kept by then, but gives them
 * back whole.
 */
export function createWriter(
  write: (events: readonly (NewEvent & Outlined)[]) => readonly Event[],
  blobs: Blobs,
): (events: readonly NewEvent[]) => Promise<readonly Event[]> | readonly Event[] {
  /** The newest call that waits for its blobs, or for those of the calls before it. */
  let waiting: Promise<unknown> | undefined;
  return (events) => {
    const long = events.map((event) => longStrings(event));
    if (!waiting && long.every((places) => places.length === 0)) return write(events);
    const turn = Promise.allSettled([waiting])
      .then(() => Promise.all(events.map((event, index) => outline(event, long[index]!, blobs))))
      .then((records) =>
        write(records).map(({ seq, epoch, at }, index) => ({ seq, epoch, at, ...events[index]! })),
      );
    const over = (): void => void (waiting === turn && (waiting = undefined));
    waiting = turn;
    turn.then(over, over);
    return turn;
  };
}
