import { describe, expect, it } from "vitest";
import { markdown } from "./fetched.ts";

describe("code", () => {
  it.each([
    ["a pre without code", "<pre>a\n  b\n</pre>", "```\na\n  b\n```"],
    ["the language of its class", '<pre><code class="hljs language-TS">a</code></pre>', "```ts\na\n```"],
    [
      "the language of a box around it",
      '<div class="highlight-python3"><div><pre>a</pre></div></div>',
      "```python\na\n```",
    ],
    ["no language where none is meant", '<pre class="language-none">a</pre>', "```\na\n```"],
    ["spans", "<pre><span>a</span> <b>b</b></pre>", "```\na b\n```"],
    [
      "lines that are elements",
      '<pre><code><div class="line">a</div><div class="line">b</div></code></pre>',
      "```\na\nb\n```",
    ],
    ["line breaks", "<pre>a<br>b</pre>", "```\na\nb\n```"],
    [
      "line numbers and buttons",
      '<pre><span class="lineno">1</span>a<button>Copy</button></pre>',
      "```\na\n```",
    ],
    ["fences in it", "<pre>```\na\n```</pre>", "````\n```\na\n```\n````"],
    ["tags in it", "<pre>&lt;b&gt; &amp;amp; *x* # y</pre>", "```\n<b> &amp; *x* # y\n```"],
  ])("%s", async (_, html, expected) => {
    expect(await markdown(html)).toBe(expected);
  });
});

const lines = (...rows: readonly string[]): string => rows.join("\n");

describe("tables", () => {
  it.each([
    [
      "names in thead",
      "<table><thead><tr><th>a<th>b<tbody><tr><td>1<td>2</table>",
      lines("| a | b |", "| --- | --- |", "| 1 | 2 |"),
    ],
    [
      "names in the first row",
      "<table><tr><th>a<th>b<tr><td>1<td>2</table>",
      lines("| a | b |", "| --- | --- |", "| 1 | 2 |"),
    ],
    [
      "no names",
      "<table><tr><td>a<td>b<tr><td>1<td>2</table>",
      lines("| a | b |", "| --- | --- |", "| 1 | 2 |"),
    ],
    [
      "names of rows",
      "<table><tr><th>a<td>1<tr><th>b<td>2</table>",
      lines("| | |", "| --- | --- |", "| a | 1 |", "| b | 2 |"),
    ],
    [
      "cells over several columns and rows",
      "<table><tr><th>a<th>b<th>c<tr><td rowspan=2>x<td colspan=2>y<tr><td>1<td>2</table>",
      lines("| a | b | c |", "| --- | --- | --- |", "| x | y | |", "| x | 1 | 2 |"),
    ],
    [
      "names in two rows",
      "<table><thead><tr><th rowspan=2>a<th colspan=2>size<tr><th>s<th>l</thead><tr><td>x<td>1<td>2</table>",
      lines("| a | size s | size l |", "| --- | --- | --- |", "| x | 1 | 2 |"),
    ],
    [
      "links in the first row",
      "<table><tr><td><a href=/1>First</a><td>x<tr><td><a href=/2>Second</a><td>y</table>",
      lines(
        "| [First](https://example.org/1) | x |",
        "| --- | --- |",
        "| [Second](https://example.org/2) | y |",
      ),
    ],
    [
      "links in names",
      "<table><thead><tr><th rowspan=2><a href=/a>a</a><th colspan=2>b<tr><th><b>s</b><th>l</thead><tr><td>1<td>2<td>3</table>",
      lines("| [a](https://example.org/a) | b s | b l |", "| --- | --- | --- |", "| 1 | 2 | 3 |"),
    ],
    [
      "names that are controls",
      "<table><tr><th><button>a</button><th><select><option>b</select><tr><td>1<td>2</table>",
      lines("| a | b |", "| --- | --- |", "| 1 | 2 |"),
    ],
    [
      "a caption",
      "<table><caption>Sums</caption><tr><td>1<td>2</table>",
      lines("Sums", "", "| 1 | 2 |", "| --- | --- |"),
    ],
    [
      "cells of several lines, lists, code and bars",
      "<table><tr><th>a<th>b<tr><td>x<br>y<p>z<td><ul><li>1<li>2</ul><pre>p|q\nr</pre></table>",
      lines("| a | b |", "| --- | --- |", "| x<br>y<br>z | - 1<br>- 2<br>`p\\|q`<br>`r` |"),
    ],
    [
      "rows of different length",
      "<table><tr><th>a<th>b<tr><td>1</table>",
      lines("| a | b |", "| --- | --- |", "| 1 | |"),
    ],
  ])("with %s", async (_, html, expected) => {
    expect(await markdown(html)).toBe(expected);
  });

  it.each([
    ["a table in a table", "<table><tr><td>menu<td><table><tr><td>a<td>b<tr><td>1<td>2</table></table>"],
    ["a table that says so", "<table role=presentation><tr><td>menu<td><p>text</table>"],
    ["one row", "<table><tr><td>menu<td>text</table>"],
    ["one column", "<table><tr><td>menu<tr><td>text</table>"],
    ["headings in cells", "<table><tr><td>menu<td><h2>b</h2><tr><td>x<td>y</table>"],
  ])("that only arrange a page are text: %s", async (_, html) => {
    expect(await markdown(html)).toMatch(/^menu\n\n/);
  });
});
