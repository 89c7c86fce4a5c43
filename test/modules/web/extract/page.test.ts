import { describe, expect, it } from "vitest";
import { read } from "../../../../modules/web/extract/read.ts";
import { extracted, markdown, PAGE_URL } from "./fetched.ts";

const PARAGRAPH = `<p>${"The harbour wall was built of granite, carried here by sea. ".repeat(8)}</p>`;

describe("the title", () => {
  it("heads the text when the page has no headline", async () => {
    expect(await extracted("<title>A &amp; B</title><p>text", "text/html")).toMatchObject({
      title: "A & B",
      text: "# A & B\n\ntext",
    });
  });

  it("stands there once, without the name of the site, when the headline says the same", async () => {
    const page = "<title>Tide mill | Courier</title><h1>Tide mill</h1><p>text";
    expect(await extracted(page, "text/html")).toMatchObject({
      title: "Tide mill",
      text: "# Tide mill\n\ntext",
    });
  });

  it("raises a lower headline that says the same", async () => {
    expect(await markdown("<title>Tide mill - Forum</title><h2><a href=/t>Tide mill</a></h2><p>x")).toBe(
      "# [Tide mill](https://example.org/t)\n\nx",
    );
  });
});

describe("what is not for readers", () => {
  it.each([
    ["a script", "<script>secret</script>"],
    ["a style", "<style>secret</style>"],
    ["a template", "<template>secret</template>"],
    ["a picture", '<img src=x alt="secret">'],
    ["a drawing", "<svg><title>secret</title><text>secret</text></svg>"],
    ["a comment", "<!-- secret -- > secret -->"],
    [
      "controls",
      '<select><option>secret</select><textarea>secret</textarea><button>secret</button><input value="secret">',
    ],
    ["navigation", "<nav>secret</nav><div role=navigation>secret</div>"],
    ["a consent banner", '<div id="cookie-banner"><p>secret</p></div>'],
    ["an advertisement", '<div aria-label="Advertisement">secret</div><div class="ad-slot">secret</div>'],
    ["the site's header and footer", "<header>secret</header><footer>secret</footer>"],
    ["the hidden attribute", "<p hidden>secret</p>"],
    ["aria-hidden", '<span aria-hidden="true">secret</span>'],
    ["display: none", '<div STYLE="color:red; Display : NONE"><p>secret</p></div>'],
    ["visibility: hidden", '<p style="visibility:hidden">secret</p>'],
    ["text without size", '<p style="font-size:0px;color:red">secret</p>'],
    ["a closed dialog", "<dialog>secret</dialog>"],
  ])("%s is left out", async (_, html) => {
    expect(await markdown(`<p>before, and long enough to be the page</p>${html}<p>after`)).toBe(
      "before, and long enough to be the page\n\nafter",
    );
  });

  it("a page under a dialog is not hidden by it", async () => {
    const page = `<div aria-hidden="true">${PARAGRAPH}</div><div role="dialog">Subscribe!</div>`;
    expect(await markdown(page)).toMatch(/^The harbour wall[^!]*$/);
  });

  it("navigation is shown when there is nothing else", async () => {
    expect(await markdown("<nav><a href=/a>A</a></nav>")).toBe("[A](https://example.org/a)");
  });

  it("invisible characters are gone, and joiners stay where a script is spelled with them", async () => {
    const page =
      "<p>pay\u200bpal\u202e \u{e0041}\u{e0042}a\u200db \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 👩\u200d🚀\u0007";
    expect(await markdown(page)).toBe(
      "paypal ab \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 👩\u200d🚀",
    );
  });

  it("a note for readers without scripts is shown only if none ran", async () => {
    const html = "<noscript><p>Turn scripts on.</p></noscript><p>text";
    expect(await markdown(html)).toBe("Turn scripts on.\n\ntext");
    expect((await read({ url: PAGE_URL, content: { html, frames: [] } })).text).toBe("text");
  });
});

describe("the main content", () => {
  const CLUTTER = "<div class=sidebar><p>Weather: fog. Ferries: late. Lottery: 3, 9, 12.</p></div>";

  it("is what is shown, and the reader is told if that leaves out much", async () => {
    const links = `<ul>${"<li>Something else that happened in town, in a few words</li>".repeat(12)}</ul>`;
    const { text, remarks } = await extracted(
      `<div class="teasers">${links}</div><article>${PARAGRAPH.repeat(2)}</article>`,
      "text/html",
    );
    expect(text).not.toContain("Something else");
    expect(remarks).toEqual([
      expect.stringMatching(/^Only the main content is shown, about \d\d % of the page's text\.$/),
    ]);
  });

  it("keeps lists, tables, notes and code that stand in it", async () => {
    const parts =
      "<h2>Links</h2><ul><li><a href=/a>A</a></li><li><a href=/b>B</a></li></ul>" +
      "<aside class='note'><p>Mind the gap.</p></aside><table><tr><td>1<td>2<tr><td>3<td>4</table><pre>x = 1</pre>";
    const text = await markdown(`${CLUTTER}<article>${PARAGRAPH}${parts}${PARAGRAPH}</article>`);
    for (const part of ["[A](https://example.org/a)", "Mind the gap.", "| 3 | 4 |", "```\nx = 1\n```"]) {
      expect(text).toContain(part);
    }
  });

  it("is the whole page when nothing stands out, as in an index", async () => {
    const card = (n: number) =>
      `<div class="card"><a href="/r/${n}"><h3>Recipe ${n}</h3></a><span>${n} min</span></div>`;
    const { text, remarks } = await extracted(
      Array.from({ length: 30 }, (_, n) => card(n)).join(""),
      "text/html",
    );
    expect(text.match(/^### \[Recipe \d+\]\(https:/gm)).toHaveLength(30);
    expect(remarks).toEqual([]);
  });
});
