import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClock } from "../../../src/base/clock.ts";
import { createNetwork } from "../../../src/environment/network/network.ts";
import { estimateTokens } from "../../../src/model/tokens/tokens.ts";
import type { Host, NodeHost } from "../../../src/domain/authoring/host.ts";
import { createTestHost, type Setup } from "../test-host.ts";
import { web } from "./from-source.ts";
import { startSite, type Site } from "./site/server.ts";

const closers: (() => void | Promise<void>)[] = [];
const network = createNetwork({ allowPrivate: ["127.0.0.1"] });
const node: NodeHost = {
  network,
  clock: createClock(),
  scratch: "",
  environment: {},
  onClose: (close) => void closers.push(close),
  onStatus: () => undefined,
};
let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
  await network.close();
  await site.close();
});

/** Reads a page of the site, without a browser. */
async function read(path: string, parameters: Readonly<Record<string, unknown>> = {}, setup: Setup = {}) {
  const { act } = createTestHost(web, { node, settings: { browser: "off" }, ...setup });
  const url = path.startsWith("/") ? `${site.url}${path}` : path;
  const { content, ...rest } = await act("readPage", { url, ...parameters });
  return {
    content: content.replaceAll(site.url, "http://site").replace(/OUTSIDE \w{16}/g, "OUTSIDE #"),
    ...rest,
  };
}

/** Shortens to what it was asked to shorten by: a model that keeps to its orders. */
const shorten: Host["complete"] = (prompt) => Promise.resolve(`short of ${/part (\d+)/.exec(prompt)![1]}`);

describe("reading a page", () => {
  it("gives all of it, with where it came from, between markers, as words from outside", async () => {
    expect(await read("/robots.txt")).toEqual({
      outcome: "ok",
      taint: [`${site.url}/robots.txt`],
      content: expect.stringMatching(
        /^http:\/\/site\/robots\.txt\n\n--- FROM OUTSIDE #: http:\/\/site\/robots\.txt ---\n\(.*\)\n\nUser-agent: \*\nAllow: \/\n\n--- END FROM OUTSIDE # ---$/,
      ) as string,
    });
  });

  it("follows redirects, and says where it came out", async () => {
    const { content } = await read("/old-address");
    expect(content).toMatch(
      /^http:\/\/site\/article\nYou were redirected there from http:\/\/site\/old-address\n/,
    );
    expect(content).toContain("# The tide mill turns again");
  });

  it("cuts an address that is longer than any that is worth telling: it may be a stranger's", async () => {
    const { content } = await read(`/robots.txt?${"x".repeat(9_000)}`);
    expect(content).toMatch(/^http:\/\/site\/robots\.txt\?x+…\n/);
    expect(content.length).toBeLessThan(4_500);
    expect(content).toContain("User-agent");
  });

  it("says that scripts did not run where the page has any, and only there", async () => {
    expect((await read("/app")).content).toContain("\nIts scripts did not run, as no browser is used here: ");
    expect((await read("/de")).content).not.toContain("scripts");
  });

  it("gives the part that is asked for, says how many there are and how to go on", async () => {
    const first = await read("/article", { page: 1 }, { maxTokens: 700 });
    const last = await read("/article", { page: 2 }, { maxTokens: 700 });
    expect(first.content).toContain("\nThis is part 1 of 2. Write `page: 2` for the next.\n");
    expect(last.content).toContain("\nThis is part 2 of 2.\n");
    expect(await read("/article", { page: 3 }, { maxTokens: 700 })).toEqual({
      outcome: "error",
      content: "There is no part 3 of this page: it has 2.",
    });
    expect((await read("/article", { page: 2 })).content).toBe(
      "There is no part 2 of this page: it has only one.",
    );
  });

  it("summarises a page that is too long, part by part, within what a result may hold", async () => {
    const asked: [prompt: string, maxOutput: number | undefined][] = [];
    const complete: Host["complete"] = (prompt, options) => {
      asked.push([prompt, options?.maxOutput]);
      return shorten(prompt);
    };
    const { content } = await read("/article", { question: "Who paid?" }, { maxTokens: 700, complete });
    expect(content).toContain(
      "=== SUMMARIZED CHUNK === (part 1, 3 tokens)\nshort of 1\n\n=== SUMMARIZED CHUNK === (part 2, 3 tokens)\nshort of 2",
    );
    expect(content).toMatch(
      /The page is too long to be shown whole \(about \d+ tokens\), so each of its 2 parts was summarised by a model call\. `page: 1` shows the first as it is\./,
    );
    expect(asked).toHaveLength(2);
    for (const [prompt, maxOutput] of asked) {
      expect(prompt).toContain(`to at most ${4 * maxOutput!} characters`);
      expect(prompt).toContain("Who paid?");
    }
  });

  it("reads a page of 3,600 tokens in a window of 4,000 as four parts of 900, in a result of at most 1,000", async () => {
    const maxTokens = 4_000 / 4;
    const asked: { readonly part: string; readonly maxOutput: number }[] = [];
    const complete: Host["complete"] = (prompt, options) => {
      const [, part] = /FROM OUTSIDE [^\n]*\n[^\n]*\n\n([^]*)\n\n--- END/.exec(prompt)!;
      asked.push({ part: part!, maxOutput: options!.maxOutput! });
      return Promise.resolve("x".repeat(4 * options!.maxOutput!));
    };
    const { content } = await read("/almanac.txt", {}, { maxTokens, complete });

    expect(asked.map(({ part }) => estimateTokens(part))).toEqual([900, 900, 900, 900]);
    const page = asked.map(({ part }) => part).join("\n");
    expect([estimateTokens(page), page.split("\n").length]).toEqual([3_600, 300]);
    for (const { maxOutput } of asked) expect(maxOutput).toBeLessThanOrEqual(maxTokens / 4);
    expect(content.match(/=== SUMMARIZED CHUNK ===/g)).toHaveLength(4);
    expect(estimateTokens(content)).toBeLessThanOrEqual(maxTokens);

    const { content: second } = await read("/almanac.txt", { page: 2 }, { maxTokens });
    expect(second).toContain("This is part 2 of 4.");
    expect(second).toContain(asked[1]!.part);
    expect(estimateTokens(second)).toBeLessThanOrEqual(maxTokens);
  });

  it.each([
    ["a part", { page: 1 }],
    ["a summary", {}],
  ])("shows %s within what a result may hold, the words around it included", async (_, parameters) => {
    const complete: Host["complete"] = (_prompt, options) =>
      Promise.resolve("word ".repeat(options!.maxOutput!).slice(0, 4 * options!.maxOutput!));
    for (const maxTokens of [400, 600, 1_000]) {
      const { content } = await read("/article", parameters, { maxTokens, complete });
      expect(estimateTokens(content)).toBeLessThanOrEqual(maxTokens);
      expect(estimateTokens(content)).toBeGreaterThan(maxTokens / 2);
    }
  });

  it("says which part has no summary, where the model gave none", async () => {
    const complete: Host["complete"] = (prompt) => Promise.resolve(prompt.includes("part 1") ? " " : "short");
    const { content } = await read("/article", {}, { maxTokens: 600, complete });
    expect(content).toContain("\nNot summarised: part 1. the model gave no text.\n");
  });

  it("summarises at most 32 parts, and says how to read the rest", async () => {
    let calls = 0;
    const complete: Host["complete"] = (prompt) => {
      calls++;
      return shorten(prompt);
    };
    const { content } = await read("/article", {}, { maxTokens: 30, complete });
    expect(calls).toBe(32);
    expect(content).toMatch(
      /so each of its \d+ parts was summarised by a model call; only the first 32 are in this summary\./,
    );
  });

  it("shows the source as the server sent it, without a model call", async () => {
    const { content, taint } = await read("/de", { raw: true });
    expect(content).toContain("<html");
    expect(content).toMatch(/[äöüß]/);
    expect(taint).toEqual([`${site.url}/de`]);
    const long = await read("/article", { raw: true }, { maxTokens: 600 });
    expect(long.content).toContain(" Write `page: 2, raw: true` for the next.\n");
  });

  it.each([
    [
      "/nowhere",
      /^There is no page to read at http:\/\/site\/nowhere: status 404, there is nothing at this address\. What the server says:/,
    ],
    [
      "/members",
      /^There is no page to read at http:\/\/site\/members: status 401, it wants a login\. What the server says:/,
    ],
  ])("says what an error page says: %s", async (path, message) => {
    const result = await read(path);
    expect(result).toMatchObject({ outcome: "error", taint: [site.url + path] });
    expect(result.content).toMatch(message);
    expect(result.content).toContain("--- FROM OUTSIDE");
  });

  it.each([
    ["/logo.png", /image\/png/],
    ["/loop", /redirects more than 5 times/],
    ["file:///etc/passwd", /^Only http and https URLs can be read/],
    ["http://localhost.invalid/", /^There is no host/],
    ["http://10.0.0.1/", /private address/],
    ["nonsense", /no URL/],
    ["/scan.pdf", /has no text/],
  ])("fails in one sentence, which may hold words of a stranger: %s", async (path, message) => {
    const result = await read(path);
    expect(result).toMatchObject({ outcome: "error", taint: [expect.stringContaining(path)] });
    expect(result.content).toMatch(message);
    expect(result.content).not.toContain("\n");
  });

  it("is over when the agent is told to stop", async () => {
    const signal = AbortSignal.abort(new Error("stop"));
    await expect(read("/article", {}, { signal })).rejects.toThrow("stop");
  });
});
