// Of which messages a memory has entries, or had before these were forgotten: so that none is entered twice, whoever reads a log
// again, and what was forgotten does not come back. What is kept says nothing of who said what, and takes a bit a message.

import { createHash } from "node:crypto";
import type { EntryNote } from "../../domain/memory/record.ts";

/** What is left of the message that an entry is of when its words are gone: a hash of its log and pair, and its number. */
export type HeardMark = string;

/** By pair and row of 32 numbers, a bit for each of these. */
export type HeardMessages = Map<string, number>;

export interface HeardBit {
  readonly row: string;
  readonly bit: number;
}

const NUMBERED = /^(.*)#(0|[1-9]\d{0,14})$/s;

export function heardMark({ log, message }: NonNullable<EntryNote["of"]>): HeardMark {
  const [, pair = message, n = "0"] = NUMBERED.exec(message) ?? [];
  const hash = createHash("sha256")
    .update(JSON.stringify([log, pair]))
    .digest("hex");
  return `${hash.slice(0, 16)}#${n}`;
}

/** Of an event of a memory, with its words or without; `undefined` for what is, or was, of no message. */
export function markIn({
  of,
  heard,
}: {
  readonly kind: string;
  readonly of?: EntryNote["of"];
  readonly heard?: HeardMark;
}): HeardMark | undefined {
  return of ? heardMark(of) : heard;
}

export function bitOf(mark: HeardMark): HeardBit {
  const at = mark.lastIndexOf("#");
  const n = Number(mark.slice(at + 1));
  return { row: `${mark.slice(0, at)}.${Math.floor(n / 32)}`, bit: 1 << (n % 32) };
}

export function isHeard(heard: ReadonlyMap<string, number>, mark: HeardMark): boolean {
  const { row, bit } = bitOf(mark);
  return ((heard.get(row) ?? 0) & bit) !== 0;
}

export function hear(heard: HeardMessages, mark: HeardMark | undefined): void {
  if (mark === undefined) return;
  const { row, bit } = bitOf(mark);
  heard.set(row, (heard.get(row) ?? 0) | bit);
}

/** One text for all, so that whoever does not ask need not take it apart. */
export function packHeard(heard: ReadonlyMap<string, number>): string {
  return [...heard].map(([row, bits]) => `${row}=${bits}`).join(" ");
}

export function unpackHeard(packed: string): HeardMessages {
  const rows = packed.split(" ").filter(Boolean);
  return new Map(
    rows.map((row) => [row.slice(0, row.indexOf("=")), Number(row.slice(row.indexOf("=") + 1))]),
  );
}
