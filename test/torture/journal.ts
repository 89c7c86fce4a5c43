// The journals of a project, read by code that shares nothing with the runtime: a reader that trusts the same mistake as the
// writer would find nothing.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";

export interface JournalEvidence<R> {
  /** What counts, in the order of the files. */
  readonly records: readonly R[];
  /** Lines that count and are not what was written. */
  readonly unreadable: number;
  /** What dead writers left behind the end that a later one saw: torn lines, and what was never acknowledged. */
  readonly leftovers: number;
}

interface Opening {
  readonly kind: string;
  readonly seq: number;
  readonly seals?: Readonly<Record<string, number>>;
}

/** Segments in the order of epoch and part. The first record of each says how many bytes of those before it count. */
export function readJournal<R extends { readonly seq: number }>(folder: string): JournalEvidence<R> {
  const names = listNames(folder).filter((name) => name.endsWith(".jsonl"));
  names.sort((a, b) => placeOf(a) - placeOf(b));
  const segments = names.map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
  const openings = segments.map(({ bytes }) => parse<Opening>(linesOf(bytes).lines[0]));
  const seals = new Map(openings.flatMap((opening) => Object.entries(opening?.seals ?? {})));
  const records: R[] = [];
  let unreadable = 0;
  let leftovers = 0;
  for (const [index, { name, bytes }] of segments.entries()) {
    const counted = bytes.subarray(0, seals.get(name));
    const { lines, tail } = linesOf(counted);
    // The newline may be all that a dead writer did not come to; then a later one counted the record.
    const last = seals.has(name) ? parse<R>(tail) : undefined;
    const found = [...lines.map((line) => parse<R>(line)), ...(last ? [last] : [])];
    // What was taken for dead may have gone on in a segment that nobody knew of: a later one has its numbers.
    const next = Math.min(...openings.slice(index + 1).map((opening) => opening?.seq ?? Infinity));
    const whole = found.filter((record) => record !== undefined);
    const kept = whole.filter(({ seq }) => seq < next);
    records.push(...kept);
    unreadable += found.length - whole.length;
    if (kept.length < whole.length || counted.length < bytes.length || (tail.length > 0 && !last))
      leftovers++;
  }
  return { records, unreadable, leftovers };
}

function placeOf(name: string): number {
  const [epoch = 0, part = 0] = name.split(/[-.]/).map(Number);
  return epoch * 1_000 + part;
}

function linesOf(bytes: Buffer): { readonly lines: readonly Buffer[]; readonly tail: Buffer } {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return { lines, tail: bytes.subarray(start) };
}

/** Each line ends in the checksum of the bytes before it: `,"crc":"0a1b2c3d"}`. */
function parse<R>(line: Buffer | undefined): R | undefined {
  const match = line && /^(.*),"crc":"([0-9a-f]{8})"\}$/s.exec(line.toString("latin1"));
  if (!match) return undefined;
  const body = Buffer.from(match[1]!, "latin1");
  if (crc32(body).toString(16).padStart(8, "0") !== match[2]) return undefined;
  return JSON.parse(`${body.toString("utf8")}}`) as R;
}

/** Nothing if there is no such folder. */
export function listNames(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
