// Digests that are kept between two readings of a log: whoever asks again reads only what is new. A cache: what is kept counts only
// where it is whole and the log is the one that it was made of; else the log is read from its beginning, and the answer is the same.

import { randomUUID } from "node:crypto";
import { createDigest, readPacked } from "../../../past/digest/digest.ts";
import type { Digest, PackedDigest } from "../../../past/digest/digest.ts";
import { readPackedStanding, unpackStanding } from "../../../past/digest/standing.ts";
import type { PackedStanding, StandingAtRest } from "../../../past/digest/standing.ts";
import type { Event } from "../../../domain/event/event.ts";
import { foldUntil, isWhole, type CheckpointPlace, type LogEnd } from "./checkpoints.ts";

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
  /** The events from number `from` on, oldest first, once more; without it, every one. */
  all(from?: number): AsyncIterable<Event>;
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
  readHead(): Promise<Omit<KeptDigest, "rest" | "lineage"> | undefined>;
  write(kept: KeptDigest): Promise<void>;
  remove(): Promise<void>;
  readonly checkpoints: CheckpointPlace;
}

export interface KeptDigest {
  readonly binding: unknown;
  /** Names the reading from the beginning that it goes on from: what else was made of that counts as long as this does. */
  readonly lineage: unknown;
  readonly head: unknown;
  readonly rest: unknown;
}

/** Fewer events are read as fast as what would be kept of them. */
const WORTHWHILE = 64;

export interface Digested {
  readonly log: DigestedLog;
  /** Absent: nothing is kept of it. */
  readonly place?: DigestPlace | undefined;
  /** Absent: how its agent stands is kept nowhere but there. */
  readonly standings?: StandingKeeper;
  /**
   * Has the log folded beside this thread, if that is worth it: true once what it comes to is at the place. Asked where nothing of it is
   * kept. Never rejects; absent: there is nobody to do it.
   */
  elsewhere?(): Promise<boolean>;
}

/** Where how one agent stands is kept beside its log, by whoever ran it or asked before. Nothing here rejects, as in a `DigestPlace`. */
export interface StandingKeeper {
  /** What was kept, if the log still ends where it did then. */
  read(): Promise<unknown>;
  /** Left out where the log ends elsewhere by now, or is read in next to no time. */
  keep(packed: PackedStanding): Promise<void>;
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
export async function readStanding({ log, place, standings, elsewhere }: Digested): Promise<StandingAtRest> {
  const known = readPackedStanding(await standings?.read());
  if (known) return unpackStanding(known);
  const keptNow = async () => {
    const kept = await place?.readHead();
    const head = readPackedStanding(kept?.head);
    return { head, how: head && (await log.compare(kept?.binding, head.ledger.last)) };
  };
  let { head, how = "other" } = await keptNow();
  if (how === "other" && (await elsewhere?.())) ({ head, how = "other" } = await keptNow());
  if (head && how === "same") {
    await standings?.keep(head);
    return unpackStanding(head);
  }
  const { digest, pack } = await bringUp({ log, place });
  await standings?.keep(pack().head);
  return digest;
}

/**
 * What a log comes to, or came to at `end`. Rejects as reading it does.
 *
 * @param end absent: all of it
 */
export async function readDigest(digested: Digested, end?: LogEnd): Promise<Digest> {
  const { digest, lineage } = await bringUp(digested);
  if (!end || isWhole(digest, end)) return digest;
  const { log, place } = digested;
  const last = digest.ledger.last;
  return foldUntil(
    end,
    log,
    lineage === undefined ? undefined : { place: place!.checkpoints, lineage, last },
  );
}

interface UpToDate {
  readonly digest: Digest;
  readonly pack: () => PackedDigest;
  /** Of what is kept now; absent: nothing is. */
  readonly lineage?: string;
}

async function bringUp({ log, place, elsewhere }: Digested): Promise<UpToDate> {
  const keptNow = async () => {
    const kept = await place?.read();
    return { kept, packed: kept && (await boundTo(log, kept)) };
  };
  let { kept, packed } = await keptNow();
  if (!packed && (await elsewhere?.())) ({ kept, packed } = await keptNow());
  const known = packed?.head.ledger.last ?? 0;
  const fold = createDigest(packed);
  for await (const event of log.events(known + 1)) fold.see(event);
  await fold.settle(log.all);
  const { digest, pack } = fold;
  const { last } = digest.ledger;
  if (place && last >= WORTHWHILE) {
    const bound = await log.bind();
    const isNews = last - known >= WORTHWHILE || (bound?.isAtRest && !isSame(bound.binding, kept?.binding));
    const lineage = packed ? String(kept?.lineage) : randomUUID();
    if (bound && isNews) await place.write({ binding: bound.binding, lineage, ...pack() });
    return { digest, pack, ...((packed || bound) && { lineage }) };
  }
  if (kept) await place?.remove();
  return { digest, pack };
}

async function boundTo(
  log: DigestedLog,
  { binding, lineage, ...packed }: KeptDigest,
): Promise<PackedDigest | undefined> {
  const read = typeof lineage === "string" ? readPacked(packed) : undefined;
  const compared = read && (await log.compare(binding, read.head.ledger.last));
  return compared === "same" || compared === "grown" ? read : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
