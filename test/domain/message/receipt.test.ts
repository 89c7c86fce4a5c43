import { describe, expect, it } from "vitest";
import { holdingReceipts, withoutReceipts } from "../../../src/domain/message/receipt.ts";

/** What is shown of an answer that comes in these pieces. */
function shownOf(pieces: readonly string[], end: "end" | "release" = "end"): readonly string[] {
  const shown: string[] = [];
  const held = holdingReceipts((text) => shown.push(text));
  for (const piece of pieces) held.add(piece);
  held[end]();
  return shown;
}

const ANSWERS = [
  ["Done.\nReceipts: #4, #2.7", "Done."],
  ["Done.\n\n**Receipts:** #4\n", "Done."],
  ["Receipts: #4", "Receipts: #4"],
  ["Receipts: #4\nand that is all", "Receipts: #4\nand that is all"],
  ["Done.\nReceipts: none that I know", "Done.\nReceipts: none that I know"],
  ["The receipts: #4", "The receipts: #4"],
  ["Reception is\n  re-opened.\n", "Reception is\n  re-opened."],
  ["\n\nRec", "Rec"],
] as const;

describe("an answer as it streams", () => {
  it.each(ANSWERS)("of %j shows %j, in whatever pieces it comes", (answer, expected) => {
    for (const size of [1, 2, 3, 7, answer.length]) {
      const pieces = answer.match(new RegExp(`[^]{1,${size}}`, "g"))!;
      const shown = shownOf(pieces).join("");
      expect(shown.trim()).toBe(expected.trim());
      expect(shown.trim()).toBe(withoutReceipts(answer).text.trim() || answer);
      expect(shownOf(pieces, "release").join("")).toBe(answer);
    }
  });

  it("is shown at once where it can be no receipt", () => {
    expect(shownOf(["It ", "works", ".\nAll", " of it"])).toEqual(["It ", "works", ".\nAll", " of it"]);
  });
});
