import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lastLines, printable, withoutEscapes } from "../../../modules/system/text.ts";

const MAX_BYTES = 50 * 1024;

describe("text for a model", () => {
  it.each([
    ["\u001b[38;5;196mred\u001b[m", "red"],
    ["\u001b[2K\u001b[1Gprogress", "progress"],
    ["\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["\u001b(Bcharset\u001b7\u001bM", "charset"],
    ["\u001bPdevice\u001b\\control", "control"],
    ["\u001b]0;never closed", "0;never closed"],
    ["\u001b", "\\x1b"],
    ["\u001b[", ""],
  ])("has no terminal sequences: %j", async (given, shown) => {
    expect(await withoutEscapes(given)).toBe(shown);
  });

  it.each([
    ["pay\u200bload", "pay\\u200bload"],
    ["\u{e0049}\u{e0067}nore", "\\u{e0049}\\u{e0067}nore"],
    ["if (admin\u202e) {\u2066", "if (admin\\u202e) {\\u2066"],
    ["a\u200db \ufe01\u{e0100}", "a\\u200db \\ufe01\\u{e0100}"],
    ["می\u200cخواهم 👩\u200d💻 ❤️ ☎︎", "می\u200cخواهم 👩\u200d💻 ❤️ ☎︎"],
    ["\ufeffa\ufeff", "\ufeffa\\ufeff"],
  ])("has nothing that only a model sees; what belongs to a spelling stays: %j", (given, shown) => {
    expect(printable(given)).toBe(shown);
  });

  it("has no character that is not shown, whatever comes in", async () => {
    const nasty = fc.constantFrom(
      "\u001b",
      "[",
      "]",
      "\0",
      "\r",
      "\n",
      "\u009b",
      "\ud800",
      "\udc00",
      "\u2028",
      "31m",
      "a",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(nasty, fc.string({ unit: "binary" }))), async (parts) => {
        for (const shown of [printable(parts.join("")), await withoutEscapes(parts.join(""))]) {
          expect(shown.replace(/[\n\t]/g, "")).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029]/u);
        }
      }),
    );
  });

  it.each(["\u001b[", "\u001b]", "\u001b[0;", "\u001bP", "\u001b]a\u001b", "\u001b ", "\r"])(
    "is made in one pass, also from a million repeats of %j",
    async (part) => {
      expect(await withoutEscapes(part.repeat(1_000_000))).not.toMatch(/[\u001b\r]/);
    },
  );

  it.each(["\r\n", "😀", "👩\u200d💻", "\ufeff", "a\u200db", "می\u200cخ", "word\r\n"])(
    "is the same in the parts of a long text as in a short one: %j",
    async (part) => {
      for (const before of ["", "x", "xy", "xyz"]) {
        const text = before + part.repeat(300_000 / part.length);
        expect((await withoutEscapes(text)) === printable(text)).toBe(true);
      }
    },
  );
});

describe("the last lines of a text", () => {
  it("begin with a whole character where a line is too long", () => {
    expect(lastLines(`${"ä".repeat(MAX_BYTES)}x`)).toEqual({
      shown: `${"ä".repeat(MAX_BYTES / 2 - 1)}x`,
      omittedLines: 1,
    });
  });

  it("are a tail of it that fits, and the rest is counted", () => {
    const line = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => text.replaceAll("\n", "")),
      fc.constant("ä".repeat(20_000)),
      fc.constant("x".repeat(MAX_BYTES)),
      fc.constant("\n".repeat(1_500)),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.boolean(), (lines, isEnded) => {
        const text = lines.join("\n") + (isEnded ? "\n" : "");
        const { shown, omittedLines } = lastLines(text);
        expect(text.endsWith(shown)).toBe(true);
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(MAX_BYTES);
        expect(shown.replace(/\n$/, "").split("\n").length).toBeLessThanOrEqual(2_000);
        const left = text.slice(0, text.length - shown.length);
        const isCut = left !== "" && !left.endsWith("\n");
        expect(omittedLines).toBe(left.split("\n").length - 1 + (isCut ? 1 : 0));
        // Nothing is left out without need: one more line would not fit.
        if (omittedLines > 0 && !isCut) {
          const more = text.slice(left.replace(/\n$/, "").lastIndexOf("\n") + 1);
          const fits =
            Buffer.byteLength(more) <= MAX_BYTES && more.replace(/\n$/, "").split("\n").length <= 2_000;
          expect(fits).toBe(false);
        }
      }),
    );
  });
});
