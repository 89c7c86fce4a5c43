import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clip, columnsOf, fitRows, paintFor, plain, takeRow } from "../../../src/cli/kit/terminal.ts";

describe("plain", () => {
  it("takes out whatever a terminal acts on", () => {
    const hostile =
      "\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u001b]8;;http://x\u001b\\link \u009b2J \u0007bell \u001bc";
    expect(plain(hostile)).toBe("red  link 2J bell ");
    expect(plain("a\rb\r\nc\td\u202ee\u0000")).toBe("a\nb\nc    de");
  });

  it("leaves letters of any script and line ends as they are", () => {
    const text = "Grüße, 東京, שלום, 👍🏽\nnext";
    expect(plain(text)).toBe(text);
  });

  it("shows characters that nobody sees as what they are: a model reads them", () => {
    expect(plain("no\u200bthing \u{e0069}\u{e0067}\ufeff")).toBe(
      "no\\u{200b}thing \\u{e0069}\\u{e0067}\\u{feff}",
    );
  });

  it("never lets a control character through", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        expect(plain(text)).not.toMatch(
          /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
        );
      }),
    );
  });
});

describe("takeRow", () => {
  const rowsOf = (line: string, columns: number): string[] => {
    const rows: string[] = [];
    for (let rest = line; rest !== "";) {
      const taken = takeRow(rest, columns);
      rows.push(taken.row);
      rest = taken.rest;
    }
    return rows;
  };

  it("breaks a line at spaces, keeps its indentation, and cuts only words that are longer than a row", () => {
    expect(rowsOf("the quick brown fox", 10)).toEqual(["the quick", "brown fox"]);
    expect(rowsOf("  - one two", 7)).toEqual(["  - one", "two"]);
    expect(rowsOf("abcdefghijk lm", 5)).toEqual(["abcde", "fghij", "k lm"]);
    expect(rowsOf("exactly ten", 11)).toEqual(["exactly ten"]);
  });

  it("gives wide characters two columns and marks none", () => {
    expect(columnsOf("東京")).toBe(4);
    expect(columnsOf("e\u0301")).toBe(1);
    expect(rowsOf("東京東京", 5)).toEqual(["東京", "東京"]);
  });

  it.each(["\u00a0", "\u2001", "\u3000", "\ufeff"])(
    "keeps white space that is no plain space (%j)",
    (space) => {
      expect(rowsOf(`ab${space}`, 10)).toEqual([`ab${space}`]);
      expect(rowsOf(`ab${space} cdef`, 5).join("")).toBe(`ab${space}cdef`);
      expect(rowsOf(`abcd${space}ef`, 4).join("")).toBe(`abcd${space}ef`);
    },
  );

  it("never exceeds its columns, never loses a letter, and always ends", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 200 }),
        fc.integer({ min: 2, max: 60 }),
        (line, columns) => {
          const rows = rowsOf(line, columns);
          for (const row of rows) expect(columnsOf(row)).toBeLessThanOrEqual(columns);
          expect(rows.join("").replaceAll(" ", "")).toBe(line.replaceAll(" ", ""));
        },
      ),
    );
  });
});

describe("clip", () => {
  it("marks what it cuts off", () => {
    expect(clip("short", 5)).toBe("short");
    expect(clip("longer", 5)).toBe("long…");
    expect(clip("東京東京", 5)).toBe("東京…");
  });
});

describe("paintFor", () => {
  const isColored = (stream: { isTTY?: boolean }, env: Record<string, string>): boolean =>
    paintFor(stream, env)("red", "x") !== "x";
  const [terminal, pipe] = [{ isTTY: true }, {}];

  it("colours on a terminal only, unless somebody says otherwise", () => {
    expect(isColored(terminal, { TERM: "xterm" })).toBe(true);
    expect(isColored(pipe, { TERM: "xterm" })).toBe(false);
    expect(isColored(terminal, { TERM: "dumb" })).toBe(false);
    expect(isColored(terminal, { NO_COLOR: "1" })).toBe(false);
    expect(isColored(pipe, { FORCE_COLOR: "1" })).toBe(true);
    expect(isColored(terminal, { FORCE_COLOR: "0" })).toBe(false);
  });
});

it("breaks rows between words, under their indentation, and leaves JSON, colours and pipes as they are", () => {
  const rows = "short\n  a row that is longer than that\n";
  expect(fitRows(rows, 20)).toBe("short\n  a row that is\n  longer than that\n");
  expect(fitRows(rows, Infinity)).toBe(rows);
  const kept = '{"a": "a text that is longer"}\n\u001b[31ma row that is longer\u001b[39m\n';
  expect(fitRows(kept, 20)).toBe(kept);
});
