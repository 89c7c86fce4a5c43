import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/base/redaction/redactor.ts";

const KEY = "sk-ant-x9Kq72fLmZ0vB3tYw";
const redactor = createRedactor([
  { name: "KEY", value: KEY },
  { name: "LONGER", value: `${KEY}-and-more` },
]);

/** What is shown after each piece, and at the end. */
function shown(pieces: readonly string[]): readonly string[] {
  const stream = redactor.pieces();
  return [...pieces.map((piece) => stream.add(piece)), stream.end()];
}

describe("a text in pieces", () => {
  it("shows at once what begins no secret", () => {
    expect(shown(["hello ", "world"])).toEqual(["hello ", "world", ""]);
  });

  it("hides a secret that is split over two pieces", () => {
    expect(shown([`key ${KEY.slice(0, 9)}`, `${KEY.slice(9)}.`])).toEqual(["key ", "[redacted:KEY].", ""]);
  });

  it("holds back the beginning of a secret until it is none", () => {
    expect(shown(["it is sk-ant", "-elope"])).toEqual(["it is ", "sk-ant-elope", ""]);
  });

  it("waits for the longer of two secrets that begin alike", () => {
    expect(shown([KEY, "-and-more!"])).toEqual(["", "[redacted:LONGER]!", ""]);
    expect(shown([KEY, "!"])).toEqual(["", "[redacted:KEY]!", ""]);
  });

  it("shows at the end what was held back", () => {
    expect(shown(["sk-a"])).toEqual(["", "sk-a"]);
  });

  it("hides base64 in lines, one character at a time", () => {
    const lines = Buffer.from(`${"x".repeat(50)}${KEY}${"y".repeat(50)}`)
      .toString("base64")
      .replace(/.{76}/g, "$&\r\n");
    const text = shown([...lines]).join("");
    expect(text).toContain("[redacted:KEY]");
    expect(Buffer.from(text.replace(/\[redacted:KEY\]|\s/g, ""), "base64").toString()).not.toContain(
      KEY.slice(2, 12),
    );
  });

  it("shows in any pieces what the whole text would show", () => {
    const word = fc.oneof(
      fc.constant(KEY),
      fc.constant("sk-"),
      fc.string({ maxLength: 5 }),
      fc.constant("\n"),
    );
    fc.assert(
      fc.property(fc.array(word), fc.array(fc.nat({ max: 12 })), (words, cuts) => {
        const whole = words.join("");
        const pieces: string[] = [];
        let from = 0;
        for (const cut of cuts) pieces.push(whole.slice(from, (from += cut)));
        expect(shown([...pieces, whole.slice(from)]).join("")).toBe(redactor.text(whole));
      }),
    );
  });
});
