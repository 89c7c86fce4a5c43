// One record is one line of JSON, readable with jq, that ends in the CRC-32 of its own bytes:
// {"seq":1,"epoch":3,"at":"…","kind":"…",…,"crc":"0a1b2c3d"}

import { crc32 } from "node:zlib";

const CRC_MARK = Buffer.from(',"crc":"');
const DIGITS = 8;
const END = Buffer.from('"}');
const CRC_BYTES = CRC_MARK.length + DIGITS + END.length;
const NEWLINE = 10;
const FIRST_PRINTABLE = 0x20;
/** What one changed bit makes of a newline, other than a control character. Nothing inside a record is followed by it. */
const FORMER_NEWLINES = [0x2a, 0x4a, 0x8a];

/** One line, newline included. Throws what JSON.stringify throws. */
export function toLine(record: object): string {
  const json = JSON.stringify(record);
  const body = json.slice(0, -1);
  return `${body},"crc":"${crc32(body).toString(16).padStart(8, "0")}"}\n`;
}

/** The record of one line without its newline; `undefined` if the bytes are not what was written. */
export function fromLine<R extends object>(line: Buffer): R | undefined {
  if (!isWhole(line)) return undefined;
  const mark = line.length - CRC_BYTES;
  try {
    return JSON.parse(`${line.toString("utf8", 0, mark)}}`) as R;
  } catch {
    // A stretch of a damaged line can have the right sum and be no record.
    return undefined;
  }
}

/** Are the bytes of one line without its newline what was written? */
export function isWhole(line: Buffer): boolean {
  const mark = line.length - CRC_BYTES;
  if (mark < 1 || !standsAt(line, mark, CRC_MARK)) return false;
  return sumAt(line, mark) === crc32(line.subarray(0, mark));
}

/** Every whole line of `bytes`, without its newline, and its offset. */
export function* linesIn(bytes: Buffer): Generator<readonly [line: Buffer, offset: number]> {
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    yield [bytes.subarray(start, end), start];
    start = end + 1;
  }
}

/**
 * The pieces of a damaged line, in order, any of which may be a whole record: it is cut at bytes that no JSON holds, and
 * behind each record, because the newline after it may be what was damaged.
 */
export function* piecesOf(line: Buffer): Generator<Buffer> {
  let start = 0;
  for (let end = 0; end <= line.length; end++) {
    if (end < line.length && line[end]! >= FIRST_PRINTABLE) continue;
    yield* splitRecords(line.subarray(start, end));
    start = end + 1;
  }
}

function* splitRecords(piece: Buffer): Generator<Buffer> {
  let start = 0;
  let summed = 0;
  let sum = 0;
  for (let mark = piece.indexOf(CRC_MARK); mark !== -1; mark = piece.indexOf(CRC_MARK, mark + 1)) {
    sum = crc32(piece.subarray(summed, mark), sum);
    summed = mark;
    const end = mark + CRC_BYTES;
    if (end < piece.length && !FORMER_NEWLINES.includes(piece[end]!)) continue;
    if (sumAt(piece, mark) !== sum || !fromLine(piece.subarray(start, end))) continue;
    yield piece.subarray(start, end);
    start = summed = end + 1;
    sum = 0;
  }
  if (start < piece.length) yield piece.subarray(start);
}

/** The checksum that is written after `mark`; `undefined` if none is. Byte by byte: it is done for every line of a log. */
function sumAt(line: Buffer, mark: number): number | undefined {
  const start = mark + CRC_MARK.length;
  if (!standsAt(line, start + DIGITS, END)) return undefined;
  let sum = 0;
  for (let at = start; at < start + DIGITS; at++) {
    const digit = digitOf(line[at]!);
    if (digit === undefined) return undefined;
    sum = sum * 16 + digit;
  }
  return sum;
}

function digitOf(byte: number): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  return byte >= 0x61 && byte <= 0x66 ? byte - 0x61 + 10 : undefined;
}

function standsAt(line: Buffer, at: number, bytes: Buffer): boolean {
  for (let n = 0; n < bytes.length; n++) if (line[at + n] !== bytes[n]) return false;
  return true;
}
