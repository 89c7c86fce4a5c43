import { describe, expect, it } from "vitest";
import { searchWeb } from "../../../../modules/web/search/action.ts";
import { checkCall } from "../../../../src/agent/act/check-call.ts";
import { defineModule } from "../../../../src/domain/authoring/module.ts";
import { indexActions } from "../../../../src/agent/parts/module-set.ts";
import { closedPremises } from "../../../../src/legion/hosting/shared-host.ts";
import { toolsProtocol } from "../../../../src/model/protocol/tools.ts";
import { json, text, useLoopback } from "../../../model/loopback.ts";
import { createTestHost, type Setup } from "../../test-host.ts";
import { createSeeingNetwork } from "./seeing-network.ts";

const web = defineModule({ name: "web", actions: { searchWeb } });

it("searchWeb answers to searchString, too, as it was called before", () => {
  const index = indexActions([web], toolsProtocol);
  const call = { id: "1", action: "searchString", parameters: { query: "some words" } };
  expect(checkCall(call, index)).toMatchObject({ kind: "ready", ready: { name: "searchWeb" } });
});

describe("searchWeb", () => {
  const loopback = useLoopback();

  function search(query: string, search?: object, setup: Partial<Setup> = {}) {
    const node = { ...closedPremises(() => Promise.reject(new Error("no"))), network: createSeeingNetwork() };
    const settings = {
      search: search ?? { provider: "searxng", baseUrl: loopback.server.url },
      ...setup.settings,
    };
    return createTestHost(web, { node, ...setup, settings }).act("searchWeb", { query });
  }
  function found(...results: readonly object[]): void {
    loopback.server.reply(json(200, { results }));
  }

  it("lists titles, addresses and excerpts between the marks of what comes from outside", async () => {
    found(
      { title: "First", url: "https://example.org/1", content: "About it." },
      { title: "Second", url: "https://example.org/2" },
    );
    const { outcome, content, taint } = await search("some words");
    expect([outcome, taint]).toEqual(["ok", [expect.stringMatching(/^search by /)]]);
    expect(content).toContain(
      'Search results for "some words":\n\n' +
        "1. [First](https://example.org/1)\n   About it.\n2. [Second](https://example.org/2)\n",
    );
    expect(content).toMatch(/^--- FROM OUTSIDE \w+: SearXNG ---\n[^]*\n--- END FROM OUTSIDE \w+ ---$/);
  });

  it("keeps a title from ending its link, and an address from ending it early", async () => {
    found(
      { title: "a](http://evil.example) \\[b", url: "https://example.org/x_(y) z?q=[1]" },
      { url: "http://h:1/" },
    );
    const { content } = await search("x");
    expect(content).toContain(
      "1. [a\\](http://evil.example) \\\\\\[b](https://example.org/x_%28y%29%20z?q=[1])\n2. [h:1](http://h:1/)\n",
    );
  });

  it("asks for the words on one line", async () => {
    found({ title: "T", url: "https://example.org/" });
    const { content } = await search("  two\n\u0000 lines ");
    expect(content).toContain('Search results for "two lines":');
    expect(loopback.server.requests[0]!.path).toContain("q=two+lines");
  });

  it("says so when nothing was found; that is no text from outside", async () => {
    found();
    expect(await search("x")).toEqual({
      outcome: "ok",
      content: 'SearXNG found nothing for "x". Try other words.',
    });
  });

  it("fails with what the agent can do, and keeps what the service said for people", async () => {
    loopback.server.reply(text(403, "Forbidden"));
    expect(await search("x")).toEqual({
      outcome: "error",
      content:
        "SearXNG does not give JSON: tell Control to add json to search.formats in its settings.yml (HTTP 403).",
      details: { status: 403, said: "Forbidden" },
    });
  });

  it("says how to get a search where none is set up", async () => {
    const none = await search("x", undefined, { settings: { search: undefined } });
    expect(none).toMatchObject({
      outcome: "error",
      content: expect.stringMatching(/^No web search.*`legion doctor`/),
    });
    const wrong = await search("x", { problem: "SEARXNG_URL has to begin with http://." });
    expect(wrong.content).toMatch(/^Web search is set up wrongly here: SEARXNG_URL has to .* Tell Control/);
  });

  it.each([
    ["google", { GOOGLE_API_KEY: "gk", GOOGLE_SEARCH_ENGINE_ID: "cx" }, /key=gk&cx=cx/],
    ["brave", { BRAVE_API_KEY: "bk" }, /"x-subscription-token":"bk"/],
    ["tavily", { TAVILY_API_KEY: "tk" }, /"authorization":"Bearer tk"/],
  ])("asks %s with the keys of the settings", async (provider, keys, sent) => {
    const settings = { keys: () => keys };
    await search("x", { provider, baseUrl: loopback.server.url }, { settings });
    expect(JSON.stringify(loopback.server.requests)).toMatch(sent);
  });

  it("takes no query that is empty or endless", async () => {
    for (const query of ["", " \n", "x".repeat(401)]) await expect(search(query)).rejects.toThrow();
    expect(loopback.server.requests).toEqual([]);
  });

  it("ends when it has to stop", async () => {
    const stop = new AbortController();
    loopback.server.reply(() => stop.abort(new Error("stopped")));
    await expect(search("x", undefined, { signal: stop.signal })).rejects.toThrow("stopped");
  });
});
