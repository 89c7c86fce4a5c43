import { describe, expect, it } from "vitest";
import { markdown } from "./fetched.ts";

describe("blocks", () => {
  it.each([
    [
      "headings, without the mark behind them",
      '<h2 id=a>One<a class="headerlink" href="#a">¶</a></h2>',
      "## One",
    ],
    ["paragraphs", "<p>a\n  b</p><p>c", "a b\n\nc"],
    ["lines", "<p>a<br>b", "a\nb"],
    ["rules", "<p>a</p><hr><p>b", "a\n\n---\n\nb"],
    ["quotes", "<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"],
    ["who is quoted", "<blockquote><cite>Ada:</cite>yes</blockquote>", "> *Ada:*\n> yes"],
    ["lists", "<ul><li>a<li><p>b</p></ul>", "- a\n- b"],
    ["lists in lists", "<ul><li>a<ol><li>b<li>c</ol><li>d</ul>", "- a\n  1. b\n  2. c\n- d"],
    ["a list between items", "<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>", "- a\n  - b\n- c"],
    ["numbers that go on", '<ol start=9><li>a<li>b<li value="3">c</ol>', "9. a\n10. b\n3. c"],
    ["items of several paragraphs", "<ol><li><p>a<p>b</ol>", "1. a\n\n   b"],
    ["tasks", "<ul><li><input type=checkbox checked> a<li><input type=checkbox> b</ul>", "- [x] a\n- [ ] b"],
    ["short terms", "<dl><dt>Wind<dd>7 Bft<dt>Water:<dd>9 °C</dl>", "- **Wind**: 7 Bft\n- **Water:** 9 °C"],
    ["long terms", "<dl><dt>Wind<dd><p>a<p>b</dl>", "**Wind**\n\na\n\nb"],
    ["details", "<details><summary>More</summary><p>a</details>", "**More**\n\na"],
    ["captions", "<figure><img src=x alt=y><figcaption>A mill</figcaption></figure>", "A mill"],
    [
      "frames with a title",
      '<iframe src="/v/1" title="The film"></iframe>',
      "[The film](https://example.org/v/1)",
    ],
    ["frames without one", '<iframe src="/v/1"></iframe>a', "a"],
    ["players", "<video controls><source src=/v.mp4></video>", "[Video](https://example.org/v.mp4)"],
    [
      "the other tabs",
      "<b role=tab id=t>npm</b><div role=tabpanel aria-labelledby=t hidden>a</div>",
      "**npm**\n\n**npm**\n\na",
    ],
    [
      "a headline that opens its text",
      "<h3><button>Is it safe?</button></h3><div>Yes.</div>",
      "### Is it safe?\n\nYes.",
    ],
    [
      "a shadow root of the server",
      "<x-note><template shadowrootmode=open><p>a</p></template></x-note>",
      "a",
    ],
  ])("%s", async (_, html, expected) => {
    expect(await markdown(html)).toBe(expected);
  });
});

describe("text", () => {
  it.each([
    ["emphasis", "<p>a <b>b</b> <i>c</i> <del>d</del>", "a **b** *c* ~~d~~"],
    ["emphasis in itself", "<p><b><strong>b</strong></b>", "**b**"],
    ["emphasis around blocks", "<b><p>a</p></b>", "a"],
    ["emphasis in a heading", "<h2><b>a</b></h2>", "## a"],
    ["code", "<p><code>a_b</code> <kbd>Ctrl</kbd> <code>`</code>", "`a_b` `Ctrl` `` ` ``"],
    ["quotation marks", "<p><q>a</q>", "“a”"],
    ["powers", "<p>10<sup>6</sup>, the 14<sup>th</sup>, H<sub>2</sub>O", "10^6, the 14th, H2O"],
    ["notes", '<p>true<sup><a href="#n1">1</a></sup>', "true[1]"],
    ["readings", "<p><ruby>水場<rp>（</rp><rt>みずば</rt></ruby>", "水場(みずば)"],
    ["formulas", '<p>a <math alttext="\\frac{1}{2}"><mi>x</mi></math>', "a $\\frac{1}{2}$"],
    ["formulas without a text", "<p><math><mi>x</mi><mo>+</mo><mn>1</mn></math>", "x+1"],
    ["non-breaking spaces", "<p>6&nbsp;Uhr", "6 Uhr"],
    [
      "names with underscores",
      "<p>snake_case_name, 1*2*3, a < b, C:\\new\\[x]",
      "snake_case_name, 1*2*3, a < b, C:\\new\\[x]",
    ],
  ])("%s", async (_, html, expected) => {
    expect(await markdown(html)).toBe(expected);
  });

  it.each([
    ["<p># a", "\\# a"],
    ["<p>1. a", "1\\. a"],
    ["<p>- a", "\\- a"],
    ["<p>> a", "\\> a"],
    ["<p>a<br>===", "a\n\\==="],
    ["<p>```", "\\```"],
    ["<p>[a](b)", "[a\\](b)"],
    ["<ul><li>2) b</ul>", "- 2\\) b"],
    ["<p>#1 of 3", "#1 of 3"],
    ["<p>-5 °C", "-5 °C"],
    ["<p>2026. <b>x</b> - y", "2026\\. **x** - y"],
    ["<h2>1. Intro</h2>", "## 1. Intro"],
  ])("%s begins nothing by accident", async (html, expected) => {
    expect(await markdown(html)).toBe(expected);
  });
});

describe("links", () => {
  it.each([
    ["are absolute", "<a href=../a?b=1&amp;c=2>x</a>", "[x](https://example.org/a?b=1&c=2)"],
    ["are relative to the base", "<base href=/b/><a href=c>x</a>", "[x](https://example.org/b/c)"],
    ["keep their parameters", "<a href='/a?utm_source=b'>x</a>", "[x](https://example.org/a?utm_source=b)"],
    ["to scripts are text", "<a href='JavaScript:x()'>x</a>", "x"],
    ["to scripts are text, however they are written", "<a href=' java&#10;script:x()'>x</a>", "x"],
    ["to inline content are text", "<a href='data:text/html,x'>x</a>", "x"],
    ["to nowhere are text", "<a href=''>x</a>", "x"],
    ["within the page are text", "<a href='#a'>x</a> <a href='/dir/page?x=1#b'>y</a>", "x y"],
    [
      "to a route of an application are links",
      "<a href='#/a'>x</a>",
      "[x](https://example.org/dir/page?x=1#/a)",
    ],
    ["that name themselves are written once", "<a href='mailto:a@b.example'>a@b.example</a>", "a@b.example"],
    [
      "keep brackets apart",
      "<a href='/a)b c'>x</a> <a href='/a_(b)'>y</a>",
      "[x](https://example.org/a%29b%20c) [y](https://example.org/a_(b))",
    ],
    [
      "around a picture take its text",
      "<a href=/a><img src=x alt='Our logo'></a>",
      "[Our logo](https://example.org/a)",
    ],
    ["without any text are gone", "<p>a<a href=/a><img src=x></a>", "a"],
    [
      "around a card are its headline's",
      "<a href=/a><div><p>new</p><h3>Pie</h3></div></a>",
      "new\n\n### [Pie](https://example.org/a)",
    ],
    [
      "that were not closed end at the next",
      "<a href=/a>x <a href=/b>y</a>",
      "[x](https://example.org/a) [y](https://example.org/b)",
    ],
  ])("%s", async (_, html, expected) => {
    expect(await markdown(html)).toBe(expected);
  });
});
