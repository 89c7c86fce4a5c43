// One record is one line of JSON, readable with jq, that ends in the CRC-32 of its own bytes:
// {"seq":1,"epoch":3,"at":"…","kind":"…",…,"crc":"0a1b2c3d"}

import { crc32 } from "node:zlib";

const CRC_BYTES = ',"crc":"00000000"}'.length;
const CRC_MARK = Buffer.from(',"crc":"');
const HEX = /^[0-9a-f]{8}$/;
const NEWLINE = 10;

/** One line, newline included. */
export function toLine(record: object): string {
  const json = JSON.stringify(record);
  const body = json.slice(0, -1);
  return `${body},"crc":"${hex(crc32(body))}"}\n`;
}

/** The record of one line without its newline; `undefined` if the bytes are not what was written. */
export function fromLine(line: Buffer): Record<string, unknown> | undefined {
  const end = line.length - CRC_BYTES;
  if (end < 1 || line.compare(CRC_MARK, 0, CRC_MARK.length, end, end + CRC_MARK.length) !== 0)
    return undefined;
  const written = line.toString("latin1", end + CRC_MARK.length, line.length - 2);
  if (!HEX.test(written) || parseInt(written, 16) !== crc32(line.subarray(0, end))) return undefined;
  return JSON.parse(`${line.toString("utf8", 0, end)}}`) as Record<string, unknown>;
}

/** Calls `each` with every whole line of `bytes`, without its newline, and its offset. */
export function eachLine(bytes: Buffer, each: (line: Buffer, offset: number) => void): void {
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    each(bytes.subarray(start, end), start);
    start = end + 1;
  }
}

function hex(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}
