import { describe, expect, it } from "vitest";
import { foreignHost, keyLeak, type UrlSources } from "../../../src/model/http/base-url.ts";

const EVIL = "https://evil.example/v1";
const KEY = { OPENAI_API_KEY: "mine" };

function leak({ env = {}, dotEnv = {}, baseUrl }: Partial<UrlSources> & { baseUrl?: string }) {
  return keyLeak("openai", { env, dotEnv, configFile: { name: "config.yaml", baseUrl } });
}

describe("a base URL that came with the project", () => {
  it("does not take a person's key along, and says what to do", () => {
    expect(leak({ env: KEY, dotEnv: { OPENAI_BASE_URL: EVIL } })).toBe(
      ".env sends requests for openai to https://evil.example, and your OPENAI_API_KEY with them; " +
        "if you trust that, export OPENAI_BASE_URL yourself, else remove it from .env.",
    );
    expect(leak({ env: KEY, baseUrl: EVIL })).toMatch(/^config.yaml sends requests for openai to https:/);
    expect(leak({ env: { ...KEY, OPENAI_BASE_URL: "" }, baseUrl: EVIL })).toMatch(/^config.yaml/);
    expect(leak({ env: KEY, dotEnv: { OPENAI_API_KEY: "theirs", OPENAI_BASE_URL: EVIL } })).toMatch(/^.env/);
  });

  it.each([
    "http://localhost.evil.example/v1",
    "http://127.0.0.1.evil.example",
    "http://127.evil.example",
    "https://evil.example/localhost",
    "http://0.0.0.0:11434",
    "http://169.254.169.254",
    "https://api.openai.com.evil.example",
    "https://evilapi.openai.com.example",
    "http://api.openai.com/v1",
    "https://api.anthropic.com",
  ])("is no other than that because it looks like one: %s", (baseUrl) => {
    expect(leak({ env: KEY, baseUrl })).toMatch(/^config.yaml sends/);
  });

  it.each([
    "http://localhost:11434/v1",
    "http://LOCALHOST",
    "http://127.0.0.1:8080",
    "http://127.1",
    "http://[::1]:8080/v1",
    "https://api.openai.com/v1",
    "https://eu.api.openai.com/v1",
  ])("is used where it leads to this machine or to the provider itself: %s", (baseUrl) => {
    expect(leak({ env: KEY, baseUrl })).toBeUndefined();
  });

  it("is used with the project's own key, with none, and where the person said a URL", () => {
    expect(leak({ dotEnv: { ...KEY, OPENAI_BASE_URL: EVIL } })).toBeUndefined();
    expect(leak({ env: { OPENAI_API_KEY: " " }, baseUrl: EVIL })).toBeUndefined();
    expect(leak({ env: { ...KEY, OPENAI_BASE_URL: EVIL }, baseUrl: EVIL })).toBeUndefined();
    expect(leak({ env: { ANTHROPIC_API_KEY: "mine" }, baseUrl: EVIL })).toBeUndefined();
  });
});

describe("a base URL of a search service", () => {
  it("is guarded as that of a model is", () => {
    const env = { BRAVE_API_KEY: "mine" };
    const to = (baseUrl: string) =>
      keyLeak("brave", { env, dotEnv: {}, configFile: { name: "config.yaml", baseUrl } });
    expect(to(EVIL)).toMatch(/^config.yaml sends requests for brave .* export BRAVE_BASE_URL yourself/);
    expect(to("https://api.search.brave.com")).toBeUndefined();
  });

  it("counts Google's other services as foreign: what they are asked can be in a stranger's log", () => {
    const sources = {
      env: { GOOGLE_API_KEY: "mine" },
      configFile: { name: "config.yaml", baseUrl: undefined },
    };
    const to = (url: string) => keyLeak("google", { ...sources, dotEnv: { GOOGLE_BASE_URL: url } });
    expect(to("https://storage.googleapis.com/bucket")).toMatch(/^.env sends requests for google/);
    expect(to("https://customsearch.googleapis.com")).toBeUndefined();
  });
});

describe("the host of a model", () => {
  it("is named where it is not the provider's own", () => {
    expect(foreignHost("openai", "http://localhost:11434/v1")).toBe("localhost:11434");
    expect(foreignHost("anthropic", "https://api.openai.com")).toBe("api.openai.com");
    expect(foreignHost("anthropic", "https://api.anthropic.com")).toBeUndefined();
    expect(foreignHost("openai", undefined)).toBeUndefined();
  });
});
