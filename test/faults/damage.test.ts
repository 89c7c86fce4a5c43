// A log whose bytes are not what was written: one bit turned, a hole of zeros.

import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { toLine } from "../../src/storage/folder/line.ts";
import { readSegments, type StoredRecord } from "../../src/storage/files/journal/segments.ts";
import { createFaultyDisk } from "./faulty-disk.ts";
import { createRandom, type Files } from "./files.ts";
import { segmentName } from "../../src/storage/folder/series.ts";

const FLIPS = 5_000;
const HOLES = 2_000;
const RECORDS = 40;
const FOLDER = "/log";
const PATH = join(FOLDER, segmentName({ epoch: 1, part: 0 }));
const TEST_MS = 60_000;

/** What was written, and where each record of it stands. */
const records = Array.from({ length: RECORDS }, (_, index) => recordOf(index));
const lines = records.map(toLine);
const whole = Buffer.from(lines.join(""));
const places = lines.map((line, index) => {
  const start = Buffer.byteLength(lines.slice(0, index).join(""));
  return { record: records[index]!, start, end: start + Buffer.byteLength(line) };
});

function recordOf(index: number): StoredRecord {
  const stamp = { seq: index + 1, epoch: 1, at: "2026-01-01T00:00:00.000Z" };
  if (index === 0) return { ...stamp, kind: "opened", format: 1, log: "a", seals: {} };
  return {
    ...stamp,
    kind: "notice",
    reason: "said",
    content: `${index}: "ä😀"\n\\ {"crc":"00000000"}`.repeat(index % 7),
  };
}

async function readBack(bytes: Buffer): Promise<StoredRecord[]> {
  const files: Files = new Map([[PATH, { bytes, synced: bytes.length }]]);
  const found: StoredRecord[] = [];
  for await (const segment of readSegments(FOLDER, createFaultyDisk({ files })))
    found.push(...segment.records);
  return found;
}

describe("a log that is damaged on the disk", () => {
  const asWritten = new Set(records.map((record) => JSON.stringify(record)));
  beforeAll(async () => expect(await readBack(whole)).toEqual(records));

  it(
    `is read without a wrong record and with all but one after each of ${FLIPS} turned bits (J3)`,
    async () => {
      const random = createRandom(1);
      for (let flip = 0; flip < FLIPS; flip++) {
        const bytes = Buffer.from(whole);
        const at = Math.floor(random() * bytes.length);
        bytes[at]! ^= 1 << Math.floor(random() * 8);
        const found = await readBack(bytes);
        expect(found.filter((record) => !asWritten.has(JSON.stringify(record)))).toEqual([]);
        expect(found.length).toBeGreaterThanOrEqual(RECORDS - 1);
      }
    },
    TEST_MS,
  );

  it(
    `is read with exactly what is whole after each of ${HOLES} holes of zeros (J3)`,
    async () => {
      const random = createRandom(2);
      for (let hole = 0; hole < HOLES; hole++) {
        const from = Math.floor(random() * whole.length);
        const to = from + 1 + Math.floor(random() * 600);
        const bytes = Buffer.from(whole).fill(0, from, Math.min(to, whole.length));
        // A record does without its newline.
        const untouched = places.filter(({ start, end }) => end - 1 <= from || start >= to);
        expect(await readBack(bytes)).toEqual(untouched.map(({ record }) => record));
      }
    },
    TEST_MS,
  );
});
