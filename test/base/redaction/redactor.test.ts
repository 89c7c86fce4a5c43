import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor, NO_SECRETS } from "../../../src/base/redaction/redactor.ts";

const KEY = "sk-ant-x9Kq/72+fLmZ0vB3~tYw=";
const PASSWORD = "hunter2 & 'fünf'?";
const { text, value, marksIn } = createRedactor([
  { name: "ANTHROPIC_API_KEY", value: KEY },
  { name: "DB_PASSWORD", value: PASSWORD },
]);

function base64(before: string, secret: string): string {
  return Buffer.from(`${before}${secret}, and so on`).toString("base64");
}

describe("redactor: each form of a secret is hidden", () => {
  it.each([
    ["as it is", KEY],
    ["within JSON", JSON.stringify({ key: `${KEY}"` })],
    ["with quotes and umlauts", PASSWORD],
    ["in base64", base64("", KEY)],
    ["in base64, one byte further", base64("a", KEY)],
    ["in base64, two bytes further", base64("ab", KEY)],
    ["in base64 for URLs", Buffer.from(`key: ${KEY}`).toString("base64url")],
    ["in hex", Buffer.from(KEY).toString("hex")],
    ["in hex of capitals", Buffer.from(KEY).toString("hex").toUpperCase()],
    ["as a part of a URL", `https://x.test/?k=${encodeURIComponent(PASSWORD)}`],
    [
      "as a part of a URL in small letters",
      encodeURIComponent(KEY).replace(/%../g, (code) => code.toLowerCase()),
    ],
    ["as a field of a form", String(new URLSearchParams({ k: PASSWORD }))],
    ["as a path of a URL", `https://x.test/${encodeURIComponent(KEY).replaceAll("%2F", "/")}`],
    ["with every byte escaped", Buffer.from(KEY).toString("hex").replace(/../g, "%$&")],
    ["over two lines of base64", base64("x".repeat(40), KEY).replace(/.{64}/g, "$&\n")],
    [
      "over two lines of hex with the line ends of Windows",
      Buffer.from(`${"x".repeat(20)}${KEY}`)
        .toString("hex")
        .replace(/.{60}/g, "$&\r\n"),
    ],
  ])("%s", (_, written) => {
    const clean = text(written);
    expect(clean).toMatch(/\[redacted:(ANTHROPIC_API_KEY|DB_PASSWORD)\]/);
    const rest = clean.replace(/\[redacted:\w+\]|\s/g, "");
    const decoded = ["utf8", "base64", "hex"].map((encoding) =>
      Buffer.from(rest, encoding as BufferEncoding).toString(),
    );
    for (const read of [rest, ...decoded]) {
      expect(read).not.toContain(KEY.slice(4, 16));
      expect(read).not.toContain(PASSWORD.slice(4, 12));
    }
  });
});

describe("redactor", () => {
  it("gives what is clean back as it is", () => {
    const clean = { a: ["nothing", { here: 1 }], b: null };
    expect(value(clean)).toBe(clean);
    expect(text("nothing here")).toBe("nothing here");
  });

  it("says around a secret what stood there", () => {
    expect(text(`export KEY=${KEY};`)).toBe("export KEY=[redacted:ANTHROPIC_API_KEY];");
  });

  it("hides nothing twice", () => {
    const once = text(`${KEY} ${KEY}${PASSWORD}`);
    expect(text(once)).toBe(once);
  });

  it("looks into objects and lists, and at the names of properties", () => {
    const clean = value({ [KEY]: [{ deep: `a ${KEY}` }], fine: 1 });
    const mark = "[redacted:ANTHROPIC_API_KEY]";
    expect(clean).toEqual({ [mark]: [{ deep: `a ${mark}` }], fine: 1 });
  });

  it("sets no prototype", () => {
    const clean = value(JSON.parse(`{"__proto__": "${KEY}"}`) as object);
    expect(Object.keys(clean)).toEqual(["__proto__"]);
  });

  it("names which secrets a text holds", () => {
    expect(marksIn(`${KEY} ${KEY}`)).toEqual(["[redacted:ANTHROPIC_API_KEY]"]);
    expect(marksIn("none")).toEqual([]);
  });

  it("hides secrets that overlap as one, named as the longest", () => {
    const overlapping = createRedactor([
      { name: "SHORT", value: "abcdefgh" },
      { name: "LONG", value: "efghijklmnop" },
      { name: "WITHIN", value: "jklmnopqr" },
    ]);
    expect(overlapping.text("<abcdefghijklmnopqr>")).toBe("<[redacted:LONG]>");
    expect(overlapping.text("<abcdefgh>")).toBe("<[redacted:SHORT]>");
  });

  it("takes the name of the first of two secrets with one value", () => {
    const twice = [
      { name: "A", value: KEY },
      { name: "B", value: KEY },
    ];
    expect(createRedactor(twice).text(KEY)).toBe("[redacted:A]");
  });

  it.each(["seven77", "password", "LOCALHOST", "redacted", ""])("takes %j for no secret", (ordinary) => {
    expect(createRedactor([{ name: "X", value: ordinary }])).toBe(NO_SECRETS);
  });

  it("says no name that could be read as something else, or that holds a secret", () => {
    const named = (name: string): string =>
      createRedactor([
        { name, value: KEY },
        { name: "OTHER", value: "MY_HIDDEN_WORD" },
      ]).text(KEY);
    expect(named("a]b\n\u001b[31m")).toBe("[redacted:a_b___31m]");
    expect(named("MY_HIDDEN_WORD")).toBe("[redacted:SECRET]");
    expect(named("")).toBe("[redacted:SECRET]");
  });

  const secret = fc.string({ unit: "binary-ascii", minLength: 8, maxLength: 80 });
  it("leaves none of any secrets in any text, and nothing else out", () => {
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 5 }),
        fc.array(fc.string()),
        (values, words) => {
          const redactor = createRedactor(values.map((one, index) => ({ name: `N${index}`, value: one })));
          if (redactor === NO_SECRETS) return;
          const parts = words.flatMap((word, index) => [word, values[index % values.length]!]);
          const clean = redactor.text(parts.join(""));
          for (const one of values.filter(
            (each) => createRedactor([{ name: "N", value: each }]) !== NO_SECRETS,
          ))
            expect(clean.replace(/\[redacted:\w+\]/g, "\u0000")).not.toContain(one);
        },
      ),
    );
  });
});
