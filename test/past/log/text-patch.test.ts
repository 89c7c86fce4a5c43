import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyPatch, patchText } from "../../../src/past/log/text-patch.ts";

const goal = (n: number, state = "PENDING"): string =>
  `${n}) "Write chapter ${n} of the book, with its figures" [${state}]`;
const goals = (count: number): string[] => Array.from({ length: count }, (_, index) => goal(index + 1));

/** In JSON, as it is written. */
const cost = (base: string, text: string): number => JSON.stringify(patchText(base, text)).length;

describe("what makes a text of another", () => {
  it("gives back any text of any other", () => {
    const line = fc.oneof(
      fc.constantFrom("- the first of all notes", "- another note, of two, or three parts", ""),
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.integer({ min: 1, max: 30 }).map((n) => goal(n)),
    );
    const text = fc.array(line, { maxLength: 40 }).map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(text, text, (base, other) => {
        expect(applyPatch(base, JSON.parse(JSON.stringify(patchText(base, other))), Infinity)).toBe(other);
      }),
      { numRuns: 500 },
    );
  });

  it("is little where little changed: added, completed, moved, gone, in several places at once", () => {
    const list = goals(100);
    const base = list.join("\n");
    const added = [...list, goal(101)].join("\n");
    const completed = list.with(40, goal(41, "COMPLETE")).join("\n");
    const moved = [...list.slice(0, 20), ...list.slice(21), list[20]].join("\n");
    const several = list.with(5, goal(6, "COMPLETE")).toSpliced(60, 1).join("\n");
    expect([added, completed, moved, several].map((text) => cost(base, text) < 200)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(cost(base, base)).toBeLessThan(20);
  });

  it("is not taken for what it cannot be", () => {
    expect(applyPatch("short", [[0, 6]], 100)).toBeUndefined();
    expect(applyPatch("short", [[-1, 2]], 100)).toBeUndefined();
    expect(
      applyPatch(
        "x".repeat(60),
        Array.from({ length: 3 }, () => [0, 60] as const),
        100,
      ),
    ).toBeUndefined();
  });
});
