// What every search of a memory has to bear: any query, and any text.

import { describe, expect, it } from "vitest";
import { finding, type CreateSearch } from "./finding.ts";
import { memoryOf } from "./memory-of.ts";

export function describeHostileSearch(name: string, create: CreateSearch): void {
  const { open, find, findIn } = finding(create);

  describe(`search ${name}`, () => {
    it.each([
      ...[
        '"',
        "'",
        '"tea',
        "tea*",
        "-tea",
        "^tea",
        "text:tea",
        "{text} : tea",
        "NEAR(tea milk, 2)",
        "(",
        "tea)",
      ],
      ...[
        "tea AND",
        "NOT tea",
        "OR",
        "tea\0milk",
        "tea\ud800",
        "; drop table word; --",
        "%",
        "\\",
        "tea + milk",
      ],
    ])("takes %j for words and not for syntax", async (text) => {
      const found = await findIn(memoryOf("tea", "bread"), text);
      expect(found).toEqual(/tea/.test(text) ? [2] : []);
    });

    it.each(["", " \n\t", "?!…—", "😀👩‍👩‍👧‍👦", "\0", "\udc00 \ud800\udfff\ud800", "\u0301", "\u200b"])(
      "finds nothing for %j, which has no word",
      async (text) => {
        expect(await findIn(memoryOf("tea", text, "😀"), text)).toEqual([]);
      },
    );

    it("takes a text of 10 MB, and one of thousands of words", async () => {
      const search = await open(memoryOf("tea with milk"));
      expect(await find(search, "tea ".repeat(2_500_000))).toEqual([2]);
      expect(await find(search, "x".repeat(10_000_000))).toEqual([]);
      expect(await find(search, `tea ${Array.from({ length: 3_000 }, (_, at) => at).join(" ")}`)).toEqual([
        2,
      ]);
    });

    it("indexes whatever was said", async () => {
      const memory = memoryOf(
        "a\0marmalade",
        "\ud800 lonely \udfff",
        "x".repeat(1_048_576),
        "語".repeat(200_000),
        "",
      );
      memory.say("large tea", { raw: `${"word ".repeat(209_000)}pomegranate` });
      memory.say("tagged", { tags: JSON.parse('{"__proto__":"y","constructor":"z","a\\u0000b":"c"}') as {} });
      memory.say("who", { speaker: "'; drop table document; --\u0000\ud800" });
      const search = await open(memory);
      expect(await find(search, "marmalade")).toEqual([2]);
      expect(await find(search, "lonely")).toEqual([3]);
      expect(await find(search, "語語")).toEqual([5]);
      expect(await find(search, "pomegranate")).toEqual([7]);
      const own = JSON.parse('{"__proto__":"y"}') as {};
      expect(await find(search, "tagged", { tags: own })).toEqual([8]);
      expect(await find(search, "tagged", { tags: { constructor: "z", "a\0b": "c" } })).toEqual([8]);
      expect(await find(search, "tagged", { tags: { a: "c" } })).toEqual([]);
      expect(await find(search, "who", { speaker: "'; drop table document; --\u0000\ud800" })).toEqual([9]);
      expect(await find(search, "who", { speaker: "'; drop table document; --" })).toEqual([]);
    });
  });
}
