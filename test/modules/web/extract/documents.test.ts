import { describe, expect, it } from "vitest";
import { writePdf } from "../site/pdf.ts";
import { extracted } from "./fetched.ts";

describe("text that is no page", () => {
  it("is given as it is, with plain line ends and nothing invisible", async () => {
    const body = "\ufeffa,b\r\n  1 ,2   \r\n\r\n\r\n# x_y \u202e*z*\r\n";
    expect((await extracted(body, "text/csv")).text).toBe("a,b\n  1 ,2   \n\n\n# x_y *z*");
  });

  it("takes its title from the headline of Markdown", async () => {
    expect(await extracted("intro\n\n# The *title*\n", "text/markdown")).toMatchObject({
      title: "The *title*",
    });
  });

  it("may be XML of any sort", async () => {
    const xml = '<?xml version="1.0"?>\n<a>\n  <b c="d"/>\n</a>';
    expect((await extracted(xml, "application/xml")).text).toBe(xml);
  });
});

describe("a feed", () => {
  const rss = (items: string): string =>
    `<?xml version="1.0"?><rss><channel><title>News</title>${items}</channel></rss>`;

  it("is a list of entries with links, dates and text", async () => {
    const item =
      "<item><title>A &amp; B</title><link>/a</link><pubDate>Sat, 14 Mar 2026 06:30:00 +0100</pubDate>" +
      "<description>&lt;p&gt;One&lt;/p&gt;&lt;script&gt;x&lt;/script&gt;&lt;p&gt;&lt;a href='b'&gt;Two&lt;/a&gt;</description></item>";
    expect(await extracted(rss(item), "application/rss+xml")).toEqual({
      title: "News",
      text: "# News\n\n## [A & B](https://example.org/a)\n\n2026-03-14 05:30 UTC\n\nOne\n\n[Two](https://example.org/b)",
      remarks: ["A feed with 1 entry."],
    });
  });

  it("may be RSS 1.0, with its entries beside the channel", async () => {
    const rdf =
      '<rdf:RDF xmlns:rdf="r" xmlns="s"><channel><title>Old</title></channel>' +
      "<item><title>a</title><link>https://e.example/</link><dc:date>2001-02-03</dc:date></item></rdf:RDF>";
    expect((await extracted(rdf, "text/xml")).text).toBe(
      "# Old\n\n## [a](https://e.example/)\n\n2001-02-03 00:00 UTC",
    );
  });

  it("links nothing but addresses, and shows a date that it does not understand", async () => {
    const item = "<item><title>a</title><link>javascript:x()</link><pubDate>soon</pubDate></item>";
    expect((await extracted(rss(item), "text/xml")).text).toBe("# News\n\n## a\n\nsoon");
  });

  it("does not expand entities that it defines", async () => {
    const bomb = `<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>`;
    const { text } = await extracted(
      `${bomb}${rss("<item><title>x &b;</title></item>")}`,
      "application/rss+xml",
    );
    expect(text).not.toContain("aaaa");
  });
});

describe("a PDF", () => {
  it("is read page by page", async () => {
    const body = writePdf({ title: "Report (1)", pages: [["First (a)", "line"], ["Second"]] });
    expect(await extracted(body, "application/pdf")).toEqual({
      title: "Report (1)",
      text: "[Page 1 of 2]\n\nFirst (a)\nline\n\n[Page 2 of 2]\n\nSecond",
      remarks: ["A PDF of 2 pages."],
    });
  });

  it("without text says so", async () => {
    const scanned = writePdf({ title: "", pages: [[]] });
    await expect(extracted(scanned, "application/pdf")).rejects.toThrow(
      "This PDF has no text on its 1 page: it was probably scanned.",
    );
  });

  it("that is damaged says so", async () => {
    await expect(extracted("%PDF-1.4\nnonsense", "application/pdf")).rejects.toThrow(
      "This PDF is damaged and cannot be read.",
    );
  });
});
