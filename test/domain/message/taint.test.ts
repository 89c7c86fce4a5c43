import { describe, expect, it } from "vitest";
import { fromOutside, ok } from "../../../src/domain/authoring/module.ts";
import { markOf, sourcesOf } from "../../../src/domain/message/taint.ts";

const named = (count: number, prefix = "s"): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe("the sources of what came from outside", () => {
  it("are those of all marks, each once, in the order in which they were met", () => {
    expect(sourcesOf(["a", "b"], undefined, ["b", "c"], ["a"])).toEqual(["a", "b", "c"]);
    expect(sourcesOf()).toEqual([]);
    expect([markOf(), markOf(undefined, []), markOf(["a"], [])]).toEqual([undefined, undefined, ["a"]]);
  });

  it("are unknown where an earlier version, or a module, only said that there are some", () => {
    expect(sourcesOf(true)).toEqual(["unknown"]);
    expect(sourcesOf(false)).toEqual([]);
    expect(sourcesOf(["a"], true, [1, " "])).toEqual(["a", "unknown"]);
    expect(sourcesOf("a", { a: 1 })).toEqual(["a", "unknown"]);
    expect(fromOutside(ok("rain")).taint).toEqual(["unknown"]);
  });

  it("are sixteen, and how many there are beside them does not matter: there are more", () => {
    expect(sourcesOf(named(16))).toEqual(named(16));
    const most = sourcesOf(named(17));
    expect(most).toEqual([...named(16), "and more"]);
    expect(sourcesOf(most)).toEqual(most);
    expect(sourcesOf(most, named(3), most, named(3, "t"))).toEqual(most);
    expect(sourcesOf(["and more"], named(2))).toEqual([...named(2), "and more"]);
    expect(sourcesOf(named(100_000), named(100_000, "t"))).toEqual(most);
  });

  it("of several marks are gathered in one result", () => {
    const result = fromOutside(fromOutside(ok("rain"), "https://a.example"), "file downloads/x.txt");
    expect(result).toEqual({ ...ok("rain"), taint: ["https://a.example", "file downloads/x.txt"] });
  });

  it.each([
    ["a\u001b[31mred\u0007", "a\\u{1b}[31mred\\u{7}"],
    ["two\nlines\r\u2028more", "two\\u{a}lines\\u{d}\\u{2028}more"],
    ["\u202egpj.exe\u2066", "\\u{202e}gpj.exe\\u{2066}"],
    ["a\u200bb\ufeffc\u3164\ufe0f", "a\\u{200b}b\\u{feff}c\\u{3164}\\u{fe0f}"],
    ["\ud800 half", "\\u{d800} half"],
    ["  https://münchen.example/日本  ", "https://münchen.example/日本"],
    ["x".repeat(200), "x".repeat(200)],
    ["x".repeat(1_000_000), `${"x".repeat(199)}…`],
    [`${"x".repeat(198)}😀😀`, `${"x".repeat(198)}…`],
    ["\u0000".repeat(300), `${"\\u{0}".repeat(40).slice(0, 199)}…`],
  ])("show what nobody sees, and are cut: %#", (source, shown) => {
    expect(sourcesOf([source])).toEqual([shown]);
    expect(sourcesOf(sourcesOf([source]))).toEqual([shown]);
  });
});
