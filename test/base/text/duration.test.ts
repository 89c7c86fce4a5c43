import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDuration, parseAge, parseDuration } from "../../../src/base/text/duration.ts";

describe("parseDuration", () => {
  it.each([
    [250, 250],
    ["250", 250],
    ["500ms", 500],
    ["2s", 2_000],
    ["1.5m", 90_000],
    ["1h", 3_600_000],
    [" 0 ", 0],
    ["596h", 2_145_600_000],
  ])("reads %j as %i milliseconds", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(["", "fast", "5 m", "5M", "-1s", -1, "1h30m", "1e3", "0x10", ".5s", "1.s", NaN, Infinity, "٣s"])(
    "refuses %j and shows how to write one",
    (text) => {
      expect(() => parseDuration(text)).toThrow(/is no duration; write 500ms, 2s, 5m or 1h$/);
    },
  );

  it.each(["597h", 2 ** 31, "9".repeat(15) + "h"])("refuses %j, which no timer can wait for", (text) => {
    expect(() => parseDuration(text)).toThrow(/is too long; write at most 596h$/);
  });
});

describe("formatDuration", () => {
  it.each([
    [0, "0ms"],
    [450.4, "450ms"],
    [2_500, "2.5s"],
    [59_940, "59.9s"],
    [59_990, "1m"],
    [200_000, "3m 20s"],
    [3_599_400, "59m 59s"],
    [3_599_900, "1h"],
    [3_900_000, "1h 5m"],
    [90_000_000, "25h"],
  ])("shows %d milliseconds as %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it("shows a whole number of one unit so that it reads back the same", () => {
    const unit = fc.constantFrom(
      ["ms", 999] as const,
      ["s", 59] as const,
      ["m", 59] as const,
      ["h", 596] as const,
    );
    const duration = unit.chain(([name, most]) =>
      fc.integer({ min: 1, max: most }).map((n) => `${n}${name}`),
    );
    fc.assert(fc.property(duration, (text) => formatDuration(parseDuration(text)) === text));
  });
});

describe("parseAge", () => {
  it.each([
    ["0", 0],
    ["30d", 2_592_000_000],
    [" 2w ", 1_209_600_000],
    ["365d", 31_536_000_000],
    ["12h", 43_200_000],
    ["90m", 5_400_000],
  ])("reads %j as %i milliseconds", (text, ms) => {
    expect(parseAge(text)).toBe(ms);
  });

  it.each(["", "30", "soon", "-1d", "1.5d", "d", "1y2d"])(
    "refuses %j: it may be thought to be something else",
    (text) => {
      expect(() => parseAge(text)).toThrow(/is no (age|duration); write/);
    },
  );

  it.each(["5x", "5xs", "1y2d", "3 weeks"])("refuses %j with the units that are taken", (text) => {
    expect(() => parseAge(text)).toThrow(/ is no age; write 30d, 2w, 12h or 0$/);
  });
});
