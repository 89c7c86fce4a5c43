import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainText } from "../../../../modules/web/search/plain-text.ts";

describe("plain text", () => {
  it.each([
    ["<b>bold</b>er", "bolder"],
    ["one<br/>two</p><p>three", "one two three"],
    ["<!-- x -->a<script src='y'>", "a"],
    ["a < b and c > d", "a < b and c > d"],
    ["&lt;div&gt; &amp;amp; &quot;x&quot; &#39;y&#x27; &nbsp;&hellip;&mdash;", "<div> &amp; \"x\" 'y' …—"],
    ["&unknown; &#9999999; &#xD800;&", "&unknown; &"],
    ["  many \t blanks\u2028here ", "many blanks here"],
    ["zero\u200b\u{e0041}width\ufeff \u202eback", "zerowidth back"],
    ["emoji 🦜 stays", "emoji 🦜 stays"],
  ])("is what a reader sees of %j", (html, text) => {
    expect(plainText(html, 100)).toBe(text);
  });

  it("is cut where it is too long, never within a character", () => {
    expect(plainText("abcdef", 6)).toBe("abcdef");
    expect(plainText("abcdefg", 6)).toBe("abcde…");
    expect(plainText("abcd🦜🦜", 6)).toBe("abcd…");
  });

  it("is nothing where there is no text", () => {
    for (const value of [undefined, null, 7, {}, ["a"]]) expect(plainText(value, 10)).toBe("");
  });

  it("is one short line without control characters, whatever it is made of", () => {
    const piece = fc.constantFrom(
      "<",
      ">",
      "&",
      "#",
      ";",
      "x41",
      "lt",
      "b",
      "/",
      "\n",
      "\u0000",
      "\ud83e",
      "\u202e",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece).map((pieces) => pieces.join("")),
          fc.string({ unit: "binary" }),
        ),
        (html) => {
          const text = plainText(html, 20);
          expect(text.length).toBeLessThanOrEqual(20);
          expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
          expect(text).toBe(text.trim());
        },
      ),
    );
  });
});
