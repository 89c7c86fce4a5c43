import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toIndexed, toWords } from "../../../src/storage/search/engine/words.ts";

/** As the engine splits it. */
const indexed = (text: string): readonly string[] =>
  toIndexed(text).match(/[a-zA-Z0-9\u0080-\u{10ffff}]+/gu) ?? [];
const asked = (text: string): readonly string[] => toWords(text, 1_000).map(({ text: word }) => word);

describe("the words of a text", () => {
  it("are those of a query, without case, accents and other forms of a letter", () => {
    expect(asked("The CAFÉ, naïve ①②: ﬁve ½")).toEqual(["the", "cafe", "naive", "12", "five", "1", "2"]);
    expect(asked("don't a-b_c.d")).toEqual(["don", "t", "a", "b", "c", "d"]);
    expect(asked("same SAME sáme")).toEqual(["same"]);
  });

  it("are pairs of characters where there are no spaces, in a text the last one alone as well", () => {
    expect(indexed("東京都")).toEqual(["東京", "京都", "都"]);
    expect(toWords("東京都 川 abc都", 10)).toEqual([
      { text: "東京", begins: false },
      { text: "京都", begins: false },
      { text: "川", begins: true },
      { text: "abc", begins: false },
      { text: "都", begins: true },
    ]);
  });

  it("are no more than are wanted", () => {
    expect(toWords("a b c d", 2)).toHaveLength(2);
  });

  it("are found in the text that they are of, whatever that is", () => {
    const text = fc.string({ unit: "binary", maxLength: 60 });
    const mixed = fc.array(
      fc.oneof(text, fc.constantFrom("東京都", "ข้าวผัด", "Ab ", "한국어", "é", "\0", "\ud800")),
    );
    fc.assert(
      fc.property(mixed, (parts) => {
        const said = parts.join("");
        const held = indexed(said).map((word) => word.toLowerCase());
        for (const { text: word, begins } of toWords(said, 1_000))
          expect(held.some((other) => (begins ? other.startsWith(word) : other === word))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it("are found in any text around them, of a part of a run without spaces", () => {
    const character = fc.constantFrom(...Array.from("東京都学校日本語かなカナข้าวผัด한국어文字"));
    const run = fc.array(character, { minLength: 1, maxLength: 8 }).map((characters) => characters.join(""));
    fc.assert(
      fc.property(run, run, run, (before, part, after) => {
        const held = indexed(before + part + after);
        // Marks that stand alone may join what is before them: only what is whole is a part.
        fc.pre(`${before}${part}${after}`.normalize("NFKD").normalize("NFC") === before + part + after);
        for (const { text: word, begins } of toWords(part, 1_000))
          expect(held.some((other) => (begins ? other.startsWith(word) : other === word))).toBe(true);
      }),
    );
  });
});
