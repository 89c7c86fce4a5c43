import { describe, expect, it } from "vitest";
import type { Fetched } from "../../../modules/web/document.ts";
import { setMaxListeners } from "node:events";
import { aborted } from "../../../src/base/process/signals.ts";
import { byHand } from "../../world.ts";
import { createVisits, type Page, type Stages } from "../../../modules/web/visits.ts";

const URL_OF_PAGE = "https://example.org/page";
const never = new AbortController().signal;
// As many wait for it as pages are read at once.
setMaxListeners(0, never);

/** A web of one answer to each address, and what was asked of its stages. */
function createStages({ status = 200, ...stages }: { readonly status?: number } & Partial<Stages> = {}) {
  const asked: string[] = [];
  const fetch = (url: string): Promise<Fetched> => {
    asked.push(url);
    const headers = { "content-type": "text/html" };
    return Promise.resolve({ url, status, headers, body: Buffer.from("<script>1</script>") });
  };
  const visits = createVisits({
    fetch,
    extract: ({ url }, { html }) => Promise.resolve({ title: "", text: html ?? url, remarks: [] }),
    source: ({ body }) => Promise.resolve(Buffer.from(body).toString()),
    now: () => 0,
    ...stages,
  });
  return { asked, read: (url: string): Promise<Page> => visits.read(url, never), visits };
}

describe("a visit", () => {
  it("asks for a page once, however its address is spelled and whichever place in it is meant", async () => {
    const { asked, read, visits } = createStages();
    const pages = await Promise.all([
      read(`${URL_OF_PAGE}#first`),
      read(`HTTPS://Example.org:443/page#second`),
      visits.source(URL_OF_PAGE, never),
    ]);
    expect(asked).toEqual([URL_OF_PAGE]);
    expect(pages.map(({ url }) => url)).toEqual([URL_OF_PAGE, URL_OF_PAGE, URL_OF_PAGE]);
  });

  it("renders the pages that scripts tell by what stands behind the #, each for itself, from one document", async () => {
    const { asked, read } = createStages({
      render: ({ url }) => Promise.resolve({ url, html: `made for ${url}`, frames: [], remarks: [] }),
    });
    const urls = ["#/one", "#!two", "#/one"].map((route) => `${URL_OF_PAGE}${route}`);
    const pages = await Promise.all(urls.map(read));
    expect(pages.map(({ text }) => text)).toEqual(urls.map((url) => `made for ${url}`));
    expect(asked).toEqual([URL_OF_PAGE]);
  });

  it("shows nothing to whom it may not have been led, also where others were before or wait for the same", async () => {
    const asked: string[] = [];
    const { visits } = createStages({
      fetch: async (url, _, permits) => {
        asked.push(url);
        const target = "https://evil.example/";
        await Promise.resolve();
        if (!permits(target)) throw new Error(`redirects to ${target}`);
        return { url: `${url}/end`, status: 200, headers: {}, body: Buffer.from("text") };
      },
    });
    const strict = (url: string): boolean => !url.includes("evil");
    const refused = "It leads to https://evil.example/, which may not be asked for.";
    const first = Promise.all([
      expect(visits.read(URL_OF_PAGE, never, strict)).rejects.toThrow(refused),
      visits.read(URL_OF_PAGE, never),
    ]);
    expect((await first)[1].text).toBe(`${URL_OF_PAGE}/end`);
    await expect(visits.read(URL_OF_PAGE, never, strict)).rejects.toThrow(refused);
    await expect(visits.source(URL_OF_PAGE, never, strict)).rejects.toThrow(refused);
    expect(asked).toHaveLength(1);
    const other = "https://example.org/other";
    await expect(visits.read(other, never, strict)).rejects.toThrow("redirects to https://evil.example/");
  });

  it("asks again for what a server refused: it may have been busy", async () => {
    const { asked, read, visits } = createStages({ status: 503 });
    await read(URL_OF_PAGE);
    expect(await read(URL_OF_PAGE)).toMatchObject({ status: 503 });
    await visits.source(URL_OF_PAGE, never);
    expect(asked).toHaveLength(3);
  });

  it("keeps for nobody else what it could not load whole, as the policy of its reader stood against a part", async () => {
    const loaded: boolean[] = [];
    const { visits } = createStages({
      render: ({ url }, _, permits) => {
        loaded.push(permits("https://parts.example:443"));
        return Promise.resolve({ url, html: "", frames: [], remarks: [] });
      },
    });
    await visits.read(URL_OF_PAGE, never, (url) => !url.includes("parts.example"));
    await visits.read(URL_OF_PAGE, never);
    await visits.read(URL_OF_PAGE, never);
    expect(loaded).toEqual([false, true]);
  });

  it("renders again where the browser failed, without asking for the document again", async () => {
    const answers = [
      () => Promise.reject(new Error("The browser crashed.")),
      () => Promise.resolve({ url: URL_OF_PAGE, html: "rendered", frames: [], remarks: [] }),
    ];
    const { asked, read } = createStages({ render: () => answers.shift()!() });
    expect(await read(URL_OF_PAGE)).toMatchObject({
      text: URL_OF_PAGE,
      remarks: ["Its scripts did not run, so what they would have shown is missing: The browser crashed."],
    });
    expect(await read(URL_OF_PAGE)).toMatchObject({ text: "rendered", remarks: [] });
    expect(await read(URL_OF_PAGE)).toMatchObject({ text: "rendered" });
    expect(asked).toHaveLength(1);
  });

  it("waits for a place where 32 documents are being read", async () => {
    const { asked, visits } = createStages({
      async extract({ url }, { signal }) {
        await Promise.race([byUrl.get(url)!.promise, aborted(signal)]);
        return { title: "", text: "read", remarks: [] };
      },
    });
    const urls = Array.from({ length: 33 }, (_, n) => `https://example.org/${n}`);
    const byUrl = new Map(urls.map((url) => [url, byHand()]));
    const last = new AbortController();
    const reads = urls.map((url, n) => visits.read(url, n === 32 ? last.signal : never));
    const source = visits.source("https://example.org/source", never);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toEqual(urls.slice(0, 32));
    byUrl.get(urls[5]!)!.resolve();
    await reads[5];
    expect(asked).toEqual(urls);
    last.abort(new Error("enough"));
    await expect(reads[32]).rejects.toThrow("enough");
    expect(await source).toMatchObject({ text: "<script>1</script>" });
    byUrl.forEach(({ resolve }) => resolve());
    expect(await Promise.all(reads.slice(0, 32))).toHaveLength(32);
  });
});
