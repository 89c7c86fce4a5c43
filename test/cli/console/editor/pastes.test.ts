import { describe, expect, it } from "vitest";
import { createPastes } from "../../../../src/cli/console/editor/pastes.ts";

describe("what stands in a line for a pasted text", () => {
  it("is the text itself where that is short and plain, else a mark that says how long it is", () => {
    const { fold } = createPastes();
    expect(fold("a few words\r\n")).toBe("a few words");
    expect(fold("a\r\nb\rc\n")).toBe("[pasted #1: 3 lines]");
    expect(fold("x".repeat(12_345))).toBe("[pasted #2: 12,345 characters]");
    expect(fold("a\u001b[2Jb")).toBe("[pasted #3: 6 characters]");
  });

  it("becomes the text again, as often as it is entered; a mark that nothing was pasted for is only words", () => {
    const { fold, unfold } = createPastes();
    const mark = fold("one\ntwo");
    expect(unfold(`2: ${mark}, and ${mark}`)).toBe("2: one\ntwo, and one\ntwo");
    expect(unfold("[pasted #2: 3 lines]")).toBe("[pasted #2: 3 lines]");
  });

  it("is not sent in place of a text that is kept no longer, nor together with others as more than a message", () => {
    const { fold, unfold } = createPastes();
    const first = fold("a\nb");
    const marks = Array.from({ length: 5 }, () => fold("x".repeat(1_000_000)));
    expect(() => unfold(first)).toThrow("[pasted #1: 2 lines] is kept no longer; paste it again");
    expect(unfold(marks[4]!)).toHaveLength(1_000_000);
    expect(() => unfold(`${marks[3]} ${marks[4]}`)).toThrow("longer than a message can be");
  });
});
