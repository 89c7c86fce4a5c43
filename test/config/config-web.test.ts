import { describe, expect, it } from "vitest";
import type { ConfigSources } from "../../src/config/config.ts";
import { messageOf } from "../../src/base/errors.ts";
import { createTempProject } from "../temp-project.ts";
import { ownHome } from "../own-config-home.ts";
import { loadTrusted } from "../trusting.ts";

interface Given {
  readonly yaml?: string;
  readonly dotEnv?: string;
  readonly env?: ConfigSources["env"];
}

async function web({ yaml = "", dotEnv = "", env = {} }: Given) {
  const projectDir = await createTempProject({
    ".ai-legion/config.yaml": yaml && `web: { ${yaml} }`,
    ".env": dotEnv,
  });
  return (await loadTrusted({ projectDir, env: { ...ownHome(), ...env }, flags: {} })).modules.web;
}
const search = async (given: Given) => (await web(given)).search;
const refusal = (yaml: string): Promise<string> => web({ yaml }).then(() => "it was taken", messageOf);

describe("the search of a legion", () => {
  it("is the first one that has what it needs", async () => {
    const searxng = { SEARXNG_URL: "http://localhost:8080" };
    const tavily = { ...searxng, TAVILY_API_KEY: "t" };
    const brave = { ...tavily, BRAVE_API_KEY: "b", GOOGLE_API_KEY: "for-other-things" };
    const google = { ...brave, GOOGLE_SEARCH_ENGINE_ID: "cx" };
    expect(await search({})).toBeUndefined();
    expect(await search({ env: { GOOGLE_API_KEY: "g" } })).toBeUndefined();
    expect(await search({ env: searxng })).toEqual({
      provider: "searxng",
      baseUrl: "http://localhost:8080",
      why: "SearXNG at http://localhost:8080: SEARXNG_URL is set in the environment",
    });
    expect(await search({ env: tavily })).toMatchObject({ provider: "tavily" });
    expect(await search({ env: brave })).toEqual({
      provider: "brave",
      why: "Brave Search: BRAVE_API_KEY is set in the environment",
    });
    expect(await search({ env: google })).toMatchObject({ provider: "google" });
  });

  it("is the one that config.yaml names, at the address that the environment names first", async () => {
    const env = { GOOGLE_API_KEY: "g", GOOGLE_SEARCH_ENGINE_ID: "cx", TAVILY_API_KEY: " t " };
    expect(await search({ yaml: "search: { provider: tavily }", env })).toMatchObject({ provider: "tavily" });
    const yaml = 'search: { provider: searxng, url: "http://file:1" }';
    expect(await search({ yaml, env })).toMatchObject({ provider: "searxng", baseUrl: "http://file:1" });
    const there = { ...env, SEARXNG_URL: "http://variable:2/x" };
    expect(await search({ yaml, env: there })).toMatchObject({ baseUrl: "http://variable:2/x" });
  });

  it("says where each part of it was found", async () => {
    const env = { GOOGLE_SEARCH_ENGINE_ID: "cx", GOOGLE_BASE_URL: "http://localhost:1/secret-path" };
    expect(await search({ env, dotEnv: "GOOGLE_API_KEY=g" })).toMatchObject({
      why:
        "Google at http://localhost:1: GOOGLE_API_KEY is set in .env, " +
        "GOOGLE_SEARCH_ENGINE_ID is set in the environment, GOOGLE_BASE_URL is set in the environment",
    });
  });

  it("takes an empty variable for one that is not set, in spite of .env", async () => {
    expect(await search({ env: { BRAVE_API_KEY: "" }, dotEnv: "BRAVE_API_KEY=b" })).toBeUndefined();
  });

  it.each<[string, Given]>([
    [
      ".ai-legion/config.yaml chooses Google: set GOOGLE_API_KEY and GOOGLE_SEARCH_ENGINE_ID in the environment or in .env.",
      { yaml: "search: { provider: google }" },
    ],
    [
      ".ai-legion/config.yaml chooses SearXNG: set SEARXNG_URL in the environment or in .env.",
      { yaml: "search: { provider: searxng }" },
    ],
    [
      "BRAVE_API_KEY holds a blank or a character that no key has; copy the key again.",
      { env: { BRAVE_API_KEY: "half\nkey" } },
    ],
    [
      "SEARXNG_URL has to begin with http:// or https://, without a name or password in it.",
      { env: { SEARXNG_URL: "localhost:8080" } },
    ],
    [
      "TAVILY_BASE_URL has to begin with http:// or https://, without a name or password in it.",
      { env: { TAVILY_API_KEY: "t", TAVILY_BASE_URL: "https://u:p@h" } },
    ],
    [
      ".env sends requests for brave to https://evil.example, and your BRAVE_API_KEY with them; " +
        "if you trust that, export BRAVE_BASE_URL yourself, else remove it from .env.",
      { env: { BRAVE_API_KEY: "b" }, dotEnv: "BRAVE_BASE_URL=https://evil.example/x" },
    ],
    [
      ".ai-legion/config.yaml sends requests for tavily to https://evil.example, and your TAVILY_API_KEY with them; " +
        "if you trust that, export TAVILY_BASE_URL yourself, else remove it from .ai-legion/config.yaml.",
      {
        env: { TAVILY_API_KEY: "t" },
        yaml: 'search: { provider: tavily, url: "https://evil.example" }',
      },
    ],
  ])("cannot work: %s", async (problem, given) => {
    expect(await search(given)).toEqual({ problem });
  });

  it("may be anywhere where no key of the person's goes along", async () => {
    const yaml = 'search: { provider: searxng, url: "https://searx.example" }';
    expect(await search({ yaml, env: { BRAVE_API_KEY: "b" } })).toMatchObject({ provider: "searxng" });
    const dotEnv = "BRAVE_API_KEY=theirs\nBRAVE_BASE_URL=https://proxy.example";
    expect(await search({ dotEnv })).toMatchObject({ provider: "brave", baseUrl: "https://proxy.example" });
  });
});

describe("the browser of a legion", () => {
  it("is where the variable says, then where the file says, unless the file says off", async () => {
    const env = { PUPPETEER_EXECUTABLE_PATH: "/opt/chrome" };
    expect((await web({})).browser).toBeUndefined();
    expect((await web({ dotEnv: "PUPPETEER_EXECUTABLE_PATH=/opt/dot" })).browser).toBe("/opt/dot");
    expect((await web({ yaml: "browser: /usr/bin/chromium" })).browser).toBe("/usr/bin/chromium");
    expect((await web({ yaml: "browser: /usr/bin/chromium", env })).browser).toBe("/opt/chrome");
    expect((await web({ yaml: "browser: off", env })).browser).toBe("off");
    expect((await web({ yaml: "browser: false", env })).browser).toBe("off");
  });
});

describe("the web section of config.yaml", () => {
  it.each([
    ["search: { provider: bing }", "web.search.provider: expected one of google, brave, tavily, searxng"],
    ["search: { prvider: brave }", 'web.search: unknown key "prvider"; did you mean "provider"?'],
    [
      'search: { url: "http://localhost:8080" }',
      "web.search: url is for one provider: name it beside, such as provider: searxng",
    ],
    [
      'search: { provider: searxng, url: "ftp://h" }',
      "web.search.url: expected a URL such as http://localhost:8080, without a name or password in it",
    ],
    [
      'search: { provider: searxng, url: "http://u:p@h" }',
      "web.search.url: expected a URL such as http://localhost:8080, without a name or password in it",
    ],
    ["serach: {}", 'web: unknown key "serach"; did you mean "search"?'],
    [
      "allowPrivate: localhost",
      "web.allowPrivate: expected a list of hosts and networks such as [localhost, 10.0.0.5:8080, 192.168.0.0/16]",
    ],
    [
      "allowPrivate: [localhost, 10.0.0.0/33]",
      "web.allowPrivate.1: `10.0.0.0/33` is no place in a network; write a host such as wiki.corp or localhost:8080, " +
        "an address such as 10.0.0.5, or a range such as 192.168.0.0/16",
    ],
    ["browser: chromium", "web.browser: expected off, or the absolute path of a Chrome or Chromium"],
    ["browser: 7", "web.browser: expected off, or the absolute path of a Chrome or Chromium"],
  ])("is refused where it is wrong: %s", async (yaml, message) => {
    expect(await refusal(yaml)).toBe(`.ai-legion/config.yaml:1: ${message}`);
  });

  it.each([
    "search: { provider: brave, key: sk-secret }",
    "search: { provider: brave, apiKey: sk-secret }",
    "BRAVE_API_KEY: sk-secret",
    "search: { provider: tavily, token: sk-secret }",
  ])("holds no keys, and the refusal does not repeat them: %s", async (yaml) => {
    const message = await refusal(yaml);
    expect(message).toMatch(/no keys in this file: set .*BRAVE_API_KEY.*, in the environment or in \.env$/);
    expect(message).not.toContain("sk-secret");
  });
});
