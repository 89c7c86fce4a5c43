import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { afterAll, describe, expect, it } from "vitest";
import { createTokenCounter, estimateTokens, fitTokens } from "../../../src/model/tokens/tokens.ts";

const startSource = (): Worker => new Worker(new URL("../token-worker.mjs", import.meta.url));
const counter = createTokenCounter(startSource);
afterAll(() => counter.close());

const encoding = new Tiktoken(o200k);
const exact = (text: string): number => encoding.encode(text, [], []).length;

describe("the estimate", () => {
  it("is a quarter of the bytes, and nothing for nothing", () => {
    expect(["", "a", "abcd", "abcde", "ä", "語語語語"].map(estimateTokens)).toEqual([0, 1, 1, 2, 1, 3]);
  });

  it("cuts a text to about so many tokens, in the middle", () => {
    expect(fitTokens("short", 10)).toBe("short");
    const cut = fitTokens(`begin ${"x".repeat(10_000)} end`, 100);
    expect(estimateTokens(cut)).toBeLessThan(130);
    expect(cut).toMatch(/^begin .* end$/s);
  });
});

describe("the token counter", () => {
  it("counts as the tokeniser does", async () => {
    const texts = [
      "",
      "hello world",
      "<|endoftext|> and <|im_start|>",
      "const a = { b: [1, 2, 3], c: 'd' };\n\n\treturn a?.b ?? null;\r\n",
      "Größe, naïve, coöperate — “quotes” … 1,234.56 €",
      "日本語の文章。短い。",
      "😀👩‍👩‍👧‍👦🇩🇪",
      "a ".repeat(5_000),
    ];
    expect(await counter.count(texts)).toEqual(texts.map(exact));
  });

  it("counts any text without long runs exactly", async () => {
    const word = fc.string({ unit: "grapheme", maxLength: 12 });
    const texts = fc.sample(
      fc.array(word, { maxLength: 30 }).map((words) => words.join(" ")),
      100,
    );
    expect(await counter.count(texts)).toEqual(texts.map(exact));
  });

  it("counts exactly what is longer than it looks at once", async () => {
    const prose = "Größe: the quick brown fox (agent 7) wrote src/past/log.ts:112 \n\n".repeat(700);
    const code = "if (a) {\n\treturn b?.c ?? 'd';\r\n}\n".repeat(1_200);
    const texts = [prose, code, prose.slice(1) + code, "x".repeat(256), "語".repeat(85)];
    expect(await counter.count(texts)).toEqual(texts.map(exact));
  });

  it("counts a word that nobody writes by hardly more than it has, and hardly less", async () => {
    const unit = fc.constantFrom(
      "a",
      "aB3",
      "xyz",
      "語",
      "=",
      "-",
      " ",
      "\n",
      "\u200d",
      "e\u0301",
      "👩\u200d👧",
    );
    const words = fc.array(unit, { minLength: 1, maxLength: 4 }).map((units) => units.join("").repeat(130));
    // Of those that were found, the furthest from the truth on either side.
    const texts = [...fc.sample(words, 15), "xyza".repeat(130), "-=".repeat(130)];
    const counts = await counter.count(texts);
    for (const [index, text] of texts.entries()) {
      const cuts = Math.floor(Buffer.byteLength(text) / 128);
      expect(counts[index]! - exact(text)).toBeGreaterThanOrEqual(-1 - cuts);
      expect(counts[index]! - exact(text)).toBeLessThanOrEqual(1 + cuts * 4);
    }
  });

  it("comes close for runs of any kind, and does not hang on the worst of them", async () => {
    const long = ["lorem", "語", "9", "=", "\n", "😀", "ab1_"].map((part) => part.repeat(600 / part.length));
    const counts = await counter.count(long);
    for (const [index, text] of long.entries()) {
      const truth = exact(text);
      expect(Math.abs(counts[index]! - truth)).toBeLessThanOrEqual(Math.max(12, truth * 0.1));
    }
    const [worst] = await counter.count(["x".repeat(20_000)]);
    expect(worst).toBeGreaterThan(2_000);
  });

  it("counts beside the main thread", async () => {
    let counted = false;
    const words = Array.from({ length: 200_000 }, (_, n) => `w${n.toString(36)}`).join(" ");
    const counting = counter.count([words]).then(() => (counted = true));
    // The main thread goes through its turns; were the count made in one of them, it would be there by now.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(counted).toBe(false);
    await counting;
  });

  it("answers every question that was asked at once with its own counts", async () => {
    const texts = Array.from({ length: 30 }, (_, n) => "word ".repeat(n));
    expect(await Promise.all(texts.map((text) => counter.count([text])))).toEqual(
      texts.map((text) => [exact(text)]),
    );
  });
});

describe("a token counter that cannot count", () => {
  it.each(["throw new Error('no ranks')", "process.exit(1)", "process.exit(0)"])(
    "goes on with estimates: %s",
    async (code) => {
      let started = 0;
      const broken = createTokenCounter(() => {
        started++;
        return new Worker(code, { eval: true });
      });
      expect(await Promise.all([broken.count(["12345678"]), broken.count(["", "1"])])).toEqual([[2], [0, 1]]);
      expect(await broken.count(["1234"])).toEqual([1]);
      expect(started).toBe(1);
      await broken.close();
    },
  );

  it("does not leave a question open when it is closed", async () => {
    const silent = createTokenCounter(() => new Worker("setInterval(() => {}, 1000)", { eval: true }));
    const open = silent.count(["12345678"]);
    await silent.close();
    expect(await open).toEqual([2]);
    expect(await silent.count(["1234"])).toEqual([1]);
  });
});
