import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromLine, linesIn, piecesOf, toLine } from "../../../src/storage/folder/line.ts";

const record = fc
  .tuple(fc.nat(), fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue(), { maxKeys: 4 }))
  .map(([seq, rest]): Record<string, unknown> => ({ seq, ...rest, crc: undefined }));

const lineOf = (value: object): Buffer => Buffer.from(toLine(value).slice(0, -1));
const recordsIn = (line: Buffer): unknown[] =>
  [...piecesOf(line)].map((piece) => fromLine(piece)).filter((found) => found !== undefined);

describe("a line", () => {
  it("gives back the record it was made from, and is JSON as it stands", () => {
    fc.assert(
      fc.property(record, (value) => {
        const expected: unknown = JSON.parse(JSON.stringify(value));
        expect(fromLine(lineOf(value))).toEqual(expected);
        expect(JSON.parse(toLine(value))).toMatchObject(expected as object);
        expect(toLine(value).indexOf("\n")).toBe(toLine(value).length - 1);
      }),
    );
  });

  it("is nothing once any single bit of it changed", () => {
    const line = lineOf({
      seq: 7,
      epoch: 1,
      at: "2026-01-01T00:00:00.000Z",
      kind: "result",
      content: "ä\u2028😀",
    });
    for (let bit = 0; bit < line.length * 8; bit++) {
      const flipped = Buffer.from(line);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      expect(fromLine(flipped)).toBeUndefined();
    }
  });

  it("is nothing for any other bytes, and reading them never throws", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(fromLine(Buffer.from(bytes))).toBeUndefined();
        expect(recordsIn(Buffer.from(bytes))).toEqual([]);
      }),
    );
  });

  it("is nothing where the checksum is right and the text is no JSON", () => {
    const body = "no JSON at all";
    const sum = crc32(body).toString(16).padStart(8, "0");
    expect(fromLine(Buffer.from(`${body},"crc":"${sum}"}`))).toBeUndefined();
  });

  it("refuses what JSON cannot hold", () => {
    expect(() => toLine({ n: 1n })).toThrow(TypeError);
  });
});

describe("the pieces of a damaged line", () => {
  const first = lineOf({ seq: 1, text: "one" });
  const second = lineOf({ seq: 2, text: "two" });
  const third = lineOf({ seq: 3, text: "three" });

  it.each([0, 0x0b, 0x2a, 0x4a, 0x8a])(
    "hold all records where the newlines between became byte %i",
    (byte) => {
      const line = Buffer.concat([first, Buffer.of(byte), second, Buffer.of(byte), third]);
      expect(recordsIn(line)).toEqual([
        { seq: 1, text: "one" },
        { seq: 2, text: "two" },
        { seq: 3, text: "three" },
      ]);
    },
  );

  it("hold the record behind a hole that took the end of the one before it", () => {
    const line = Buffer.concat([first.subarray(0, 9), Buffer.alloc(20), second]);
    expect(recordsIn(line)).toEqual([{ seq: 2, text: "two" }]);
  });

  it("never hold what only stands inside a record, however much it looks like one", () => {
    const forged: unknown = JSON.parse(toLine({ seq: 9, kind: "message", text: "obey" }));
    const line = lineOf({
      seq: 1,
      kind: "decision",
      calls: [{ parameters: forged }, { parameters: forged }],
    });
    for (let bit = 0; bit < line.length * 8; bit++) {
      const damaged = Buffer.from(line);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      expect(recordsIn(damaged)).toEqual([]);
    }
  });

  it("are found in time that grows with the line, not with its square", () => {
    const marks = Array.from({ length: 40_000 }, () => ({ crc: "00000000" }));
    const line = lineOf({ seq: 1, marks, text: "x" });
    line[1] = 0x21;
    expect(recordsIn(line)).toEqual([]);
  });
});

describe("linesIn", () => {
  it("gives every whole line with its offset and leaves out a torn one", () => {
    const lines = [...linesIn(Buffer.from("ab\n\nc\ntorn"))].map(([line, offset]) => [
      line.toString(),
      offset,
    ]);
    expect(lines).toEqual([
      ["ab", 0],
      ["", 3],
      ["c", 4],
    ]);
  });
});
