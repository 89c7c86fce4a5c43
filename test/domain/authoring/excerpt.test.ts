import { describe, expect, it } from "vitest";
import { excerptOf } from "../../../src/domain/authoring/excerpt.ts";

const FILLING = "word ".repeat(200);

describe("an excerpt", () => {
  it("is all of a text that has room", () => {
    expect(excerptOf("A boat.", "plane", 300)).toEqual({ text: "A boat.", before: 0, after: 0 });
  });

  it.each([
    ["the word wherever it stands", "boat", "boat"],
    ["no case", "BOAT", "boat"],
    ["no accents", "munchen", "München"],
    ["accents that are asked for where there are none", "crème", "creme"],
    ["letters of more than one", "strasse", "Straße"],
    ["what is written without spaces", "東京", "私は東京に住む"],
    ["a part of a run without spaces", "京に行く", "私は東京に住む"],
    ["the beginning of a longer word", "sail", "sailors"],
  ])("shows %s", (_, query, found) => {
    const text = `${FILLING}${found} ${FILLING}`;
    const { text: piece, before, after } = excerptOf(text, query, 100);
    expect(piece).toContain(found);
    expect(text.slice(before, text.length - after)).toBe(piece);
    expect(piece.length).toBeLessThanOrEqual(100);
    expect(before).toBeGreaterThan(0);
  });

  it("stands around the longest word, as short ones stand anywhere, and inside no other word", () => {
    const text = `what is it ${FILLING}steamboat ${FILLING}our boat ${FILLING}`;
    expect(excerptOf(text, "is it our boat", 60).text).toContain("our boat");
    expect(excerptOf(text, "boat", 60).text).toContain("our boat");
  });

  it("is the beginning where no word of the query stands, and the end where it stands there", () => {
    expect(excerptOf(`first ${FILLING}`, "boat", 60)).toMatchObject({ before: 0 });
    expect(excerptOf(`${FILLING}the boat`, "boat", 60)).toMatchObject({ after: 0 });
  });

  it("begins and ends in the middle of no character", () => {
    for (let room = 50; room < 60; room++) {
      const { text } = excerptOf(`${"🚤".repeat(100)} boat ${"🚤".repeat(100)}`, "boat", room);
      expect(Buffer.from(text).toString()).toBe(text);
      expect(text).toContain("boat");
    }
  });
});
