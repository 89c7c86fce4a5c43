// What a log came to at earlier moments: digests that are kept on the way through it, so that any moment is found without reading
// the log from its beginning. A cache beside that of the newest digest, which says whether it counts.

import type { Event } from "../../../domain/event/event.ts";
import type { LogId } from "../../../domain/message/message.ts";
import { createDigest, readPacked, type Digest, type PackedDigest } from "../../../past/digest/digest.ts";
import { parseMessageId } from "../../../domain/message/message.ts";

/** A beginning of a log: all before the first event that one of these leaves out. */
export interface LogEnd {
  /** Events with a higher number. */
  readonly seq?: number;
  /** Events that came later, in milliseconds since 1970. */
  readonly ms?: number;
  /** Messages from these logs with a higher number. */
  readonly mail?: ReadonlyMap<LogId, number>;
}

/** Where a digest was kept on the way through a log. */
export interface Checkpoint {
  readonly lineage: string;
  /** The newest event that it knows. */
  readonly seq: number;
  /** The latest time of any of them, in milliseconds since 1970. */
  readonly latest: number;
}

/** Where those of one log are kept. Nothing here rejects: what cannot be read is not there, what cannot be written is left out. */
export interface CheckpointPlace {
  /** In any order. */
  list(): Promise<readonly Checkpoint[]>;
  /** What was written; `undefined` if it is not there as a whole. */
  read(checkpoint: Checkpoint): Promise<unknown>;
  write(checkpoint: Checkpoint, packed: PackedDigest): Promise<void>;
  remove(checkpoint: Checkpoint): Promise<void>;
}

/** So many are made of a log: any moment is found by reading so small a part of it. */
const CHECKPOINTS = 64;
/** So many events are read in next to no time. */
const LEAST_EVENTS = 256;

/** Is a log that comes to `digest` within `end`? */
export function isWhole(
  { ledger, latest }: Digest,
  { seq = Infinity, ms = Infinity, mail }: LogEnd,
): boolean {
  const isTakenIn = ([log, n]: readonly [LogId, number]): boolean => (ledger.seen.get(log) ?? 0) <= n;
  return ledger.last <= seq && latest <= ms && [...(mail ?? [])].every(isTakenIn);
}

interface KeptCheckpoints {
  readonly place: CheckpointPlace;
  /** Only those of this one count. */
  readonly lineage: string;
  /** The newest event of the log. */
  readonly last: number;
}

interface ReadableLog {
  all(from?: number): AsyncIterable<Event>;
}

/**
 * What a log comes to at `end`. Rejects as reading it does.
 *
 * @param kept absent: it is read from its beginning, and nothing is kept
 */
export async function foldUntil(end: LogEnd, log: ReadableLog, kept?: KeptCheckpoints): Promise<Digest> {
  const known = kept ? await ownOf(kept) : [];
  const packed = kept && (await newestWithin(end, known, kept.place));
  const fold = createDigest(packed);
  const step = kept ? stepFor(kept.last) : Infinity;
  for await (const event of log.all((packed?.head.ledger.last ?? 0) + 1)) {
    if (!isWithin(event, end)) break;
    fold.see(event);
    if (!kept || event.seq % step !== 0 || known.some(({ seq }) => seq === event.seq)) continue;
    await fold.settle(log.all);
    const { latest } = fold.digest;
    await kept.place.write({ lineage: kept.lineage, seq: event.seq, latest }, fold.pack());
  }
  await fold.settle(log.all);
  return fold.digest;
}

/** Those of another reading are gone on from by nobody. */
async function ownOf({ place, lineage }: KeptCheckpoints): Promise<readonly Checkpoint[]> {
  const all = await place.list();
  for (const other of all) if (other.lineage !== lineage) await place.remove(other);
  return all.filter((one) => one.lineage === lineage);
}

async function newestWithin(
  end: LogEnd,
  known: readonly Checkpoint[],
  place: CheckpointPlace,
): Promise<PackedDigest | undefined> {
  const { seq = Infinity, ms = Infinity } = end;
  const within = known.filter((one) => one.seq <= seq && one.latest <= ms).sort((a, b) => b.seq - a.seq);
  for (const checkpoint of within) {
    const packed = readPacked(await place.read(checkpoint));
    if (packed && isWhole(createDigest(packed).digest, end)) return packed;
  }
  return undefined;
}

/** A power of two: what was kept when the log was shorter stays in step. */
function stepFor(last: number): number {
  let step = LEAST_EVENTS;
  while (step * CHECKPOINTS < last) step *= 2;
  return step;
}

function isWithin(event: Event, { seq = Infinity, ms = Infinity, mail }: LogEnd): boolean {
  if (event.seq > seq || Date.parse(event.at) > ms) return false;
  if (event.kind !== "message") return true;
  const most = mail?.get(event.from);
  return most === undefined || parseMessageId(event.message.id).n <= most;
}
