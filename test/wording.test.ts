import { describe, expect, it } from "vitest";
import { didYouMean, enumerate, quote } from "../src/wording.ts";

describe("messages", () => {
  it("ask for what may have been meant", () => {
    expect(didYouMean("read", ["readFile", "readPage", "noop"])).toBe(
      " Did you mean `readFile` or `readPage`?",
    );
    expect(didYouMean("rocket", ["readFile"])).toBe("");
  });

  it("name several things in one sentence", () => {
    expect(enumerate(["a"])).toBe("`a`");
    expect(enumerate(["a", "b", "c"])).toBe("`a`, `b` and `c`");
    expect(enumerate(Array.from("abcdefghijkl"))).toMatch(/`j` and 2 more$/);
  });

  it("quote on one line and briefly", () => {
    expect(quote(" a\n  b ")).toBe("`a b`");
    expect(quote("x".repeat(1_000_000))).toHaveLength(82);
  });
});
