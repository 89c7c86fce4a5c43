import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { partsOf } from "../../../src/base/text/parts.ts";

const PART = 65_536;

describe("a text in parts", () => {
  it("is one part where it is short, also without any text", () => {
    expect(["", "short", "x".repeat(PART)].map((text) => partsOf(text).length)).toEqual([1, 1, 1]);
  });

  it("is all there, in order, and no part ends within a character or is long", () => {
    const unit = fc.constantFrom("x", "字", "😀", "\ud800", "\udc00");
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 9 }), fc.nat({ max: 3 }), (units, shift) => {
        const text = "x".repeat(shift) + units.join("").repeat(40_000);
        const parts = partsOf(text);
        expect(parts.join("") === text).toBe(true);
        for (const [index, part] of parts.entries()) {
          expect(part.length).toBeLessThanOrEqual(PART);
          const next = parts[index + 1];
          if (next !== undefined)
            expect(`${part.at(-1)}${next[0]}`).not.toMatch(/^[\ud800-\udbff][\udc00-\udfff]$/);
        }
      }),
      { numRuns: 30 },
    );
  });
});
