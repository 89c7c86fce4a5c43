import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createExtractor, type Extractor } from "../../../../modules/web/extract/extractor.ts";
import { startSite, type Site } from "../site/server.ts";
import { startSource, visit } from "./fetched.ts";
import { asGolden } from "./golden.ts";

/** Pages that say all they have to say without scripts, by the name of their golden file. */
const PAGES: Readonly<Record<string, string>> = {
  article: "/article",
  reference: "/reference",
  docs: "/docs/streams",
  timetable: "/frames/timetable",
  "frameset-contents": "/frameset/contents",
  "frameset-chapter": "/frameset/chapter",
  japanese: "/ja",
  arabic: "/ar",
  german: "/de",
  broken: "/broken",
  login: "/account",
  members: "/members",
  forum: "/forum/thread",
  shop: "/shop/kettle",
  recipes: "/recipes",
  missing: "/nowhere",
  feed: "/feed.xml",
  atom: "/atom.xml",
  report: "/report.pdf",
  stations: "/stations.json",
  notes: "/notes.md",
  robots: "/robots.txt",
};

/** Pages that need a browser, as they are read where there is none. */
const UNRENDERED: Readonly<Record<string, string>> = {
  app: "/app",
  stories: "/stories",
  frames: "/frames",
  frameset: "/frameset",
  shadow: "/shadow",
};

let site: Site;
let extractor: Extractor;
beforeAll(async () => {
  site = await startSite();
  extractor = createExtractor({ start: startSource });
});
afterAll(async () => {
  await extractor.close();
  await site.close();
});

async function read(path: string): Promise<string> {
  const document = await visit(site.url + path);
  return asGolden(await extractor.extract(document, { signal: AbortSignal.timeout(30_000) }), site.url);
}

describe("a page as an agent gets it", () => {
  it.each(Object.entries(PAGES))("%s is as it was reviewed", async (name, path) => {
    await expect(await read(path)).toMatchFileSnapshot(`../golden/${name}.md`);
  });

  it.each(Object.entries(UNRENDERED))("%s without a browser is as it was reviewed", async (name, path) => {
    await expect(await read(path)).toMatchFileSnapshot(`../golden/${name}-unrendered.md`);
  });

  it("is the same at the end of a chain of redirects", async () => {
    expect(await read("/old-address")).toBe(await read("/article"));
  });

  it("the register of 5 MB is read to its last row", async () => {
    const document = await visit(`${site.url}/large`);
    expect(document.body.length).toBeGreaterThan(5_000_000);
    const { title, text } = await extractor.extract(document, { signal: AbortSignal.timeout(110_000) });
    const lines = text.split("\n");
    expect(title).toBe("Tree register");
    expect(lines.filter((line) => line.startsWith("| [T-"))).toHaveLength(26_900);
    expect(lines.at(-1)).toBe(
      `| [T-26900](${site.url}/trees/26900) | Silver birch | Quarry Street 80 | 2010 | No work needed |`,
    );
  }, 120_000);
});
