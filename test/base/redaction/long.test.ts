import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactLong } from "../../../src/base/redaction/long.ts";
import { createRedactor, NO_SECRETS } from "../../../src/base/redaction/redactor.ts";

const KEY = "sk-ant-x9Kq72fLmZ0vB3tYw";
const redactor = createRedactor([{ name: "KEY", value: KEY }]);
const PART = 65_536;

describe("a long text without its secrets", () => {
  it("is what a short one would be, wherever they stand", async () => {
    const written = [KEY, Buffer.from(`user:${KEY}`).toString("base64"), Buffer.from(KEY).toString("hex")];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: -40, max: 40 }), fc.constantFrom(...written)), { maxLength: 3 }),
        fc.constantFrom("x", "ab \n", "字"),
        async (places, filling) => {
          // Each about where a part ends.
          const text = places.reduce(
            (before, [shift, secret], index) =>
              `${before.padEnd((index + 1) * PART + shift, filling)}${secret}`,
            "",
          );
          const whole = text.padEnd(5 * PART, filling);
          expect((await redactLong(redactor, whole)) === redactor.text(whole)).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("hides base64 in lines across the parts", async () => {
    const before = Buffer.alloc(PART, "x").toString();
    const lines = Buffer.from(`${before.slice(0, 47_000)}${KEY}${before}`)
      .toString("base64")
      .replace(/.{76}/g, "$&\n");
    const clean = await redactLong(redactor, lines);
    expect(clean).toBe(redactor.text(lines));
    expect(clean).toContain("[redacted:KEY]");
  });

  it("is the same text where there is none, and without any secret", async () => {
    const text = "word ".repeat(PART);
    expect(await redactLong(redactor, text)).toBe(text);
    expect(await redactLong(NO_SECRETS, text)).toBe(text);
    expect(await redactLong(redactor, `a ${KEY}`)).toBe("a [redacted:KEY]");
  });

  it("lets others have their turns meanwhile", async () => {
    let [turns, isOver] = [0, false];
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await redactLong(redactor, "x".repeat(20 * PART));
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(19);
  });
});
