// Digests that are kept between two readings of a log: whoever asks again reads only what is new. A cache: what is kept counts only
// where it is whole and the log is the one that it was made of; else the log is read from its beginning, and the answer is the same.

import { createDigest, readPacked, type Digest, type PackedDigest } from "../../past/digest/digest.ts";
import type { Event } from "../../domain/event/event.ts";

/** A log, as far as its digest has to do with it. */
export interface DigestedLog {
  /** Does the log begin with all that it held when it was bound so, and with nothing else? `last`: the newest event of then. */
  isBound(binding: unknown, last: number): Promise<boolean>;
  /** From number `from` on, oldest first. */
  events(from: number): AsyncIterable<Event>;
  /** Every event, oldest first, once more. */
  all(): AsyncIterable<Event>;
  /** What tells the log, as far as `events` gave it, from any other; plain JSON, and `undefined` where nothing does. */
  bind(): Promise<unknown>;
}

/** Where the digest of one log is kept. Nothing here rejects: what cannot be read is not there, what cannot be written is left out. */
export interface DigestPlace {
  read(): Promise<KeptDigest | undefined>;
  write(kept: KeptDigest): Promise<void>;
  remove(): Promise<void>;
}

export interface KeptDigest {
  readonly binding: unknown;
  readonly packed: unknown;
}

/** So many events are read in next to no time. */
const WORTHWHILE = 256;

/** What a log comes to. Rejects as reading it does. @param place absent: nothing is kept of it */
export async function readDigest(log: DigestedLog, place?: DigestPlace): Promise<Digest> {
  const kept = await place?.read();
  const packed = kept && (await boundTo(log, kept));
  const fold = createDigest(packed);
  for await (const event of log.events((packed?.ledger.last ?? 0) + 1)) fold.see(event);
  await fold.settle(log.all);
  if (!place) return fold.digest;
  const { last } = fold.digest.ledger;
  if (last < WORTHWHILE) {
    if (kept) await place.remove();
    return fold.digest;
  }
  const isOld = last - (packed?.ledger.last ?? 0) >= WORTHWHILE;
  const binding = await log.bind();
  const isBoundAnew = packed?.ledger.last === last && !isSame(binding, kept?.binding);
  if (binding !== undefined && (isOld || isBoundAnew)) await place.write({ binding, packed: fold.pack() });
  return fold.digest;
}

async function boundTo(log: DigestedLog, { binding, packed }: KeptDigest): Promise<PackedDigest | undefined> {
  const read = readPacked(packed);
  return read && (await log.isBound(binding, read.ledger.last)) ? read : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
