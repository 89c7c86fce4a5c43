import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementsIn, type DomElement } from "../../../../modules/web/extract/html/dom.ts";
import { parsePage } from "../../../../modules/web/extract/html/parse.ts";
import { markdown } from "./fetched.ts";

const times = (count: number, text: string): string => text.repeat(count);

describe("a hostile page", () => {
  it.each([
    ["nests 100,000 levels", `${times(100_000, "<div>")}x${times(100_000, "</div>")}`, "x"],
    ["nests 1,000,000 levels", `${times(1_000_000, "<div>")}x`, "x"],
    ["has 100,000 attributes", `<p ${Array.from({ length: 100_000 }, (_, n) => `a${n}`).join(" ")}>x`, "x"],
    ["never closes 200,000", `${times(200_000, "<section>")}x`, "x"],
    ["nests tables", `${times(20_000, "<table><tr><td>")}x`, "x"],
    [
      "nests emphasis and closes what it did not open",
      `${times(50_000, "<b>")}x${times(50_000, "</i>")}`,
      "**x**",
    ],
    ["has a million attributes", `<p ${times(1_000_000, "a ")}>x`, "x"],
    ["has a million classes", `<p class="${times(1_000_000, "a ")}">x`, "x"],
    ["has templates in formulas", `x${times(3, "<math><template>")}`, "x"],
    ["opens comments", `x${times(500_000, "<!--")}`, "x"],
    ["opens scripts", `x${times(200_000, "<script>")}`, "x"],
    ["opens quotes", `x${times(200_000, '<a href="')}`, "x"],
    ["is mostly space", `<p>a${times(2_000_000, " ")}b`, "a b"],
    ["is mostly lines of code", `<pre>a${times(500_000, " \n")}b</pre>`, "```\na\n\nb\n```"],
    [
      "spans 50,000 cells",
      `<table><tr>${times(50, "<td rowspan=1000 colspan=1000>x")}</table>y`,
      "x\n\n".repeat(50) + "y",
    ],
  ])("that %s is read", async (_, html, expected) => {
    expect(await markdown(html)).toBe(expected);
  });

  it("cannot make an address that leaves its brackets", async () => {
    expect(await markdown(`<a href="/a)](javascript:x()) <b>">x</a>`)).toBe(
      "[x](https://example.org/a%29]%28javascript:x%28%29%29%20%3Cb%3E)",
    );
  });

  it("cannot nest lists until their indentation outgrows them", async () => {
    const text = await markdown(times(90, "<ul><li>x") + times(300, "<li>y"));
    expect(text.length).toBeLessThan(20_000);
  });

  it("long text without any tag is read", async () => {
    expect(await markdown(`<p>${times(300_000, "word & ")}`)).toHaveLength(300_000 * 7 - 1);
  });
});

const tag = fc.constantFrom(
  ..."a b p div ul li table tr td th pre code script svg math h1 h3 title select option template br dl dt dd sup frame".split(
    " ",
  ),
);
const piece = fc.oneof(
  tag.map((name) => `<${name}>`),
  tag.map((name) => `</${name}>`),
  fc.constantFrom(
    "<",
    ">",
    "&",
    '"',
    "<!--",
    "-->",
    "<a href='x' HREF=y>",
    '<p class="',
    " text ",
    "<![CDATA[x]]>",
    "</",
    "\0",
  ),
  fc.string(),
);

const depthOf = (element: DomElement): number => 1 + Math.max(0, ...elementsIn(element).map(depthOf));

describe("a broken page", () => {
  it("is read, whatever it is made of", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
        const text = await markdown(`<p>begin</p>${pieces.join("")}`);
        expect(text).toContain("begin");
        expect(text).not.toMatch(/ \n|\n{3}|[\0-\x08\u200b]/);
      }),
      { numRuns: 300 },
    );
  }, 120_000);

  it("is a tree of a depth that has a bound", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 400 }), (pieces) => {
        const page = parsePage({ html: pieces.join(""), frames: [], scripts: "not run" });
        expect(depthOf(page.body)).toBeLessThanOrEqual(201);
      }),
    );
  });
});
