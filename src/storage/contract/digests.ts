// Digests that are kept between two readings of a log: whoever asks again reads only what is new. A cache: what is kept counts only
// where it is whole and the log is the one that it was made of; else the log is read from its beginning, and the answer is the same.

import { createDigest, headIn, readHead, readPacked } from "../../past/digest/digest.ts";
import type { Digest, DigestHead, PackedDigest } from "../../past/digest/digest.ts";
import type { Event } from "../../domain/event/event.ts";

/** A log, as far as its digest has to do with it. */
export interface DigestedLog {
  /**
   * Does the log begin with all that it held when it was bound so, and with nothing else? `same`: nothing came since.
   *
   * @param last the newest event of then
   */
  compare(binding: unknown, last: number): Promise<"same" | "grown" | "other">;
  /** From number `from` on, oldest first. */
  events(from: number): AsyncIterable<Event>;
  /** Every event, oldest first, once more. */
  all(): AsyncIterable<Event>;
  /** What tells the log, as far as `events` gave it, from any other; `undefined` where nothing does. */
  bind(): Promise<BoundLog | undefined>;
}

export interface BoundLog {
  /** Plain JSON. */
  readonly binding: unknown;
  /** Nobody seems to write to it at this moment. */
  readonly isAtRest: boolean;
}

/** Where the digest of one log is kept. Nothing here rejects: what cannot be read is not there, what cannot be written is left out. */
export interface DigestPlace {
  read(): Promise<KeptDigest | undefined>;
  /** The same without the rest, which is not looked at. */
  readHead(): Promise<Omit<KeptDigest, "rest"> | undefined>;
  write(kept: KeptDigest): Promise<void>;
  remove(): Promise<void>;
}

export interface KeptDigest {
  readonly binding: unknown;
  readonly head: unknown;
  readonly rest: unknown;
}

/** So many events are read in next to no time. */
const WORTHWHILE = 256;

export interface Digested {
  readonly log: DigestedLog;
  /** Absent: nothing is kept of it. */
  readonly place?: DigestPlace | undefined;
}

/** A log that nothing is kept of. */
export function unbound(events: (from?: number) => AsyncIterable<Event>): DigestedLog {
  return {
    compare: () => Promise.resolve("other"),
    events,
    all: events,
    bind: () => Promise.resolve(undefined),
  };
}

/** How the agent of a log stands. Rejects as reading it does. */
export async function readStanding({ log, place }: Digested): Promise<DigestHead> {
  const kept = await place?.readHead();
  const head = kept && readHead(kept.head);
  if (head && (await log.compare(kept.binding, head.ledger.last)) === "same") return headIn(head);
  return readDigest({ log, place });
}

/** What a log comes to. Rejects as reading it does. */
export async function readDigest({ log, place }: Digested): Promise<Digest> {
  const kept = await place?.read();
  const packed = kept && (await boundTo(log, kept));
  const known = packed?.head.ledger.last ?? 0;
  const fold = createDigest(packed);
  for await (const event of log.events(known + 1)) fold.see(event);
  await fold.settle(log.all);
  const { digest } = fold;
  const { last } = digest.ledger;
  if (place && last >= WORTHWHILE) {
    const bound = await log.bind();
    const isNews = last - known >= WORTHWHILE || (bound?.isAtRest && !isSame(bound.binding, kept?.binding));
    if (bound && isNews) await place.write({ binding: bound.binding, ...fold.pack() });
  } else if (kept) await place?.remove();
  return digest;
}

async function boundTo(
  log: DigestedLog,
  { binding, ...packed }: KeptDigest,
): Promise<PackedDigest | undefined> {
  const read = readPacked(packed);
  const compared = read && (await log.compare(binding, read.head.ledger.last));
  return compared === "same" || compared === "grown" ? read : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
