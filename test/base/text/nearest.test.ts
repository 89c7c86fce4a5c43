import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearest } from "../../../src/base/text/nearest.ts";

const NAMES = ["model", "agent", "tick", "limits", "legionnaire"];

describe("nearest", () => {
  it.each([
    ["modle", ["model"]],
    ["Agnet", ["agent"]],
    ["tik", ["tick"]],
    ["legionaire", ["legionnaire"]],
    ["limit", ["limits"]],
    ["quorum", []],
    ["", []],
  ])("takes %j for %j", (name, meant) => {
    expect(nearest(name, NAMES)).toEqual(meant);
  });

  it("puts the nearest first and names three at most", () => {
    expect(nearest("note", ["notice", "notes", "note", "vote", "rote"])).toEqual(["note", "notes", "vote"]);
  });

  it("does not compare texts that are no names: they would take for ever", () => {
    const long = "a".repeat(65);
    expect(nearest(long, [long])).toEqual([]);
    expect(nearest("a", [long, "a"])).toEqual(["a"]);
  });

  it("finds every name with two neighbouring letters swapped", () => {
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), fc.nat(), (name, n) => {
        const at = n % (name.length - 1);
        const swapped = name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2);
        expect(nearest(swapped, NAMES)[0]).toBe(name);
      }),
    );
  });
});
