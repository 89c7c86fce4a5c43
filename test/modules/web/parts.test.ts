import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { divide } from "../../../modules/web/parts.ts";
import { estimateTokens } from "../../../src/model/tokens/tokens.ts";

const split = (text: string, maxTokens: number) => divide(text, maxTokens, estimateTokens);

describe("a long text", () => {
  it("is one part if it fits, also if it is empty", () => {
    expect(split("a\nb", 10)).toEqual(["a\nb"]);
    expect(split("", 10)).toEqual([""]);
  });

  it("is divided between lines", () => {
    const line = "x".repeat(39);
    expect(split(`${line}\n${line}\n\n${line}`, 21)).toEqual([`${line}\n${line}\n`, line]);
  });

  it("has lines cut that are longer than a part, at a space where there is one near, and never within a character", () => {
    expect(split("abcdefghi jklmnop", 3)).toEqual(["abcdefghi ", "jklmnop"]);
    expect(split("abcdefghijklmnop", 3)).toEqual(["abcdefghijkl", "mnop"]);
    expect(split("😀😀😀", 1)).toEqual(["😀", "😀", "😀"]);
  });

  it("is in its parts whole and in order, and each part fits", () => {
    const text = fc.array(
      fc.oneof(
        fc.string({ unit: "grapheme" }),
        fc.constant(""),
        fc.string({ minLength: 90, maxLength: 300 }),
      ),
    );
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 60 }), (lines, maxTokens) => {
        const whole = lines.join("\n");
        const parts = split(whole, maxTokens);
        expect(parts.join("").replaceAll("\n", "")).toBe(whole.replaceAll("\n", ""));
        for (const part of parts) expect(estimateTokens(part)).toBeLessThanOrEqual(maxTokens);
      }),
    );
  });

  it("is divided in the time that its length takes, not its square", () => {
    // Quadratic it would take minutes and time out.
    const parts = split("y".repeat(5_000_000), 900);
    expect(parts.join("")).toHaveLength(5_000_000);
  });
});
