// Pages as an agent gets them where there is a browser: fetched, rendered, extracted, all of it real.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowser, type Browser } from "../../../modules/web/browser/browser.ts";
import { createExtractor, type Extractor } from "../../../modules/web/extract/extractor.ts";
import { createVisits, type Visits } from "../../../modules/web/visits.ts";
import { createNetwork } from "../../../src/environment/network/network.ts";
import { chromiumIsThere, createNode, executable, patientClock } from "./browser/kit.ts";
import { startSource } from "./extract/fetched.ts";
import { asGolden } from "./extract/golden.ts";
import { startSite, type Site } from "./site/server.ts";

/** By the name of the golden file. */
const PAGES: Readonly<Record<string, string>> = {
  app: "/app",
  stories: "/stories",
  frames: "/frames",
  frameset: "/frameset",
  shadow: "/shadow",
  // Each parser mends broken HTML in its own way.
  "broken-rendered": "/broken",
};
/** Pages that need no browser: with one they read the same. */
const STATIC: Readonly<Record<string, string>> = {
  article: "/article",
  reference: "/reference",
  docs: "/docs/streams",
  japanese: "/ja",
  german: "/de",
  redirected: "/old-address",
  login: "/account",
  forum: "/forum/thread",
  shop: "/shop/kettle",
  recipes: "/recipes",
};

const never = new AbortController().signal;
let site: Site;
let browser: Browser;
let extractor: Extractor;
let visits: Visits;

describe.skipIf(!chromiumIsThere)("a page that a browser has rendered", () => {
  const network = createNetwork({ allowPrivate: ["127.0.0.1"] });
  const node = { ...createNode(patientClock()), network };
  beforeAll(async () => {
    site = await startSite();
    browser = createBrowser(node, { executable });
    extractor = createExtractor({ start: startSource });
    visits = createVisits({
      fetch: (url, signal) => network.fetch(url, { signal, maxBytes: 10_000_000 }),
      render: browser.render,
      extract: extractor.extract,
      source: extractor.source,
      now: node.clock.now,
    });
  });
  afterAll(async () => {
    await browser.close();
    await extractor.close();
    await network.close();
    await site.close();
  });

  it.each(Object.entries({ ...PAGES, ...STATIC }))("is as it was reviewed: %s", async (name, path) => {
    const page = await visits.read(`${site.url}${path}`, never);
    await expect(asGolden(page, site.url)).toMatchFileSnapshot(`golden/${name}.md`);
  });

  it("is whole, also if it has 5 MB", { timeout: 120_000 }, async () => {
    const { text } = await visits.read(`${site.url}/large`, never);
    expect(text.split("\n").filter((line) => line.startsWith("| [T-"))).toHaveLength(26_900);
  });

  it("was asked for once, and so was what its scripts load", () => {
    expect(site.requests.get("/app")).toBe(1);
    expect(site.requests.get("/app/state.json")).toBe(1);
  });
});
