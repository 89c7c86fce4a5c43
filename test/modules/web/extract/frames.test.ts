import { describe, expect, it } from "vitest";
import type { Framed } from "../../../../modules/web/document.ts";
import { read } from "../../../../modules/web/extract/read.ts";
import { PAGE_URL } from "./fetched.ts";

const AD = "https://ads.example/slot?a=1&b=2";
const PARAGRAPH = `<p>${"The harbour wall was built of granite, carried here by sea. ".repeat(8)}</p>`;
const PITCH = `<p>${"Our kettles, as they say, are the best kettles that money can buy. ".repeat(12)}</p>`;
const COLUMNS = `<div class=teasers><ul>${"<li>Something else that happened in town</li>".repeat(3)}</ul></div>`;

const framed = (html: string, url = AD): Framed => ({ url, html, frames: [] });
/** The page stands around the comments `<!--0-->` and so on, as the browser writes them. */
const rendered = (html: string, ...frames: readonly Framed[]) =>
  read({ url: PAGE_URL, content: { html, frames } });

describe("a frame", () => {
  it("does not displace the page, however long it is", async () => {
    const { text, remarks } = await rendered(
      `${COLUMNS}<article>${PARAGRAPH.repeat(2)}</article><div><!--0--></div>`,
      framed(`<article>${PITCH.repeat(4)}</article>`),
    );
    expect(text).toMatch(/^The harbour wall[^]*by sea\.\n\n\(Left out: a frame of \S+\)$/);
    expect(text).toContain(AD);
    expect(remarks).toEqual([expect.stringMatching(/^Only the main content is shown, about \d\d % /)]);
  });

  it("stays where it is in the main content, with its address before it and its end behind it", async () => {
    const { text } = await rendered(
      `${COLUMNS}<article>${PARAGRAPH.repeat(2)}<!--0-->${PARAGRAPH}</article>`,
      framed("<p>Kettles!"),
    );
    expect(text).toMatch(/by sea\.\n\n\(From a frame of [^]*\n\nThe harbour/);
    expect(text).toContain(`\n\n(From a frame of ${AD}:)\n\nKettles!\n\n(End of the frame.)\n\n`);
  });

  it("is shown with all others when the page has nothing else", async () => {
    const { text } = await rendered(
      "<!--0--><!--1-->",
      framed(PARAGRAPH, "https://a.example/"),
      framed(PITCH, "https://b.example/"),
    );
    expect(text).toMatch(
      /^\(From a frame of https:\/\/a\.example\/:\)\n\nThe harbour[^]*\(From a frame of https:\/\/b\.example\/:\)\n\nOur kettles/,
    );
  });

  it("without anything to read is not mentioned", async () => {
    expect((await rendered("<p>one</p><!--0--><p>two", framed("<p> </p>"))).text).toBe("one\n\ntwo");
  });

  it("says where it is from in one plain line", async () => {
    const { text } = await rendered(
      "<!--0-->",
      framed("<p>in", "data:text/html,<b>x</b> [a](http://b.example)\n\n# c"),
    );
    expect(text).toBe(
      "(From a frame of data:text/html,<b>x</b> [a\\](http://b.example) # c:)\n\nin\n\n(End of the frame.)",
    );
  });

  it.each([
    ["a cell", "<table role=none><tr><td>", "<td>out"],
    ["an item", "<ul><li>", "<li>out"],
    ["a division", "<div>", "</div>out"],
    ["raw text", "<div>", "<xmp></xmp></div></section>out</xmp>"],
  ])("cannot leave its place: %s", async (_, before, html) => {
    const { text } = await rendered(`${before}<!--0-->after`, framed(html));
    expect(text.replaceAll(/\s+/g, " ")).toMatch(/:\) (?:- )?out \(End of the frame\.\) after$/);
  });

  it("is shown once, whatever the page says, and only by who showed it", async () => {
    const { text } = await rendered(
      '<p data-frame="https://bank.example">out<!--0--><!--0--><!--1-->',
      framed("in"),
    );
    expect(text).toBe(`out\n\n(From a frame of ${AD}:)\n\nin\n\n(End of the frame.)`);
  });

  it("says nothing for the page: neither its title nor what its links are relative to", async () => {
    const frame = framed("<title>Kettles</title><base href=https://evil.example/><p>in");
    expect(await rendered("<!--0--><p><a href=x>link</a>", frame)).toMatchObject({
      title: "",
      text: expect.stringContaining("[link](https://example.org/dir/x)"),
    });
  });
});
