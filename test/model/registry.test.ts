import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findModel, findProfile } from "../../src/model/profiles.ts";
import { chooseModel, openModel, type ModelDeps } from "../../src/model/registry.ts";
import { json, openAiChunks, useLoopback } from "./loopback.ts";
import { ASK, KEY, NO_ABORT, failureOf } from "./provider-contract.ts";

describe("what is known of models", () => {
  it("knows window, price and abilities of current models, dated versions included", () => {
    const sonnet = findProfile("anthropic/claude-sonnet-5-5");
    expect(sonnet).toEqual({
      window: 1_000_000,
      maxOutput: 32_000,
      price: { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 },
      tools: true,
      summarises: true,
    });
    expect(findProfile("anthropic/claude-haiku-4-5-20251001")).toEqual(
      findProfile("anthropic/claude-haiku-4-5"),
    );
    expect(findProfile("openai/gpt-5.4-mini-2026-03-17").price).toEqual({
      input: 0.75,
      output: 4.5,
      cacheRead: 0.075,
    });
  });

  it("ends a window where long prompts begin to cost more", () => {
    expect(findProfile("anthropic/claude-haiku-5-5").window).toBe(100_000);
    expect(findProfile("openai/gpt-6.2-sol").window).toBe(272_000);
  });

  it("knows which models of OpenAI cannot call tools over chat completions, or not while they reason", () => {
    expect(findProfile("openai/gpt-6.2-sol").tools).toBe(false);
    expect(findModel("openai/gpt-6.1-terra")).toMatchObject({
      ability: "unthinking",
      profile: { tools: true },
    });
    expect(findModel("openai/gpt-5.2")).toMatchObject({ ability: "tools", profile: { tools: true } });
  });

  it("never guesses the price of a variant or of a newer member of a family", () => {
    for (const name of ["openai/gpt-5-pro", "openai/gpt-7", "anthropic/claude-opus-6", "openai/gpt-5.4-20"]) {
      expect(findProfile(name)).not.toHaveProperty("price");
    }
    expect(findProfile("anthropic/claude-opus-6")).toMatchObject({ window: 200_000, tools: true });
    expect(findProfile("openai/gpt-6.3-sol")).toMatchObject({ window: 272_000, tools: false });
  });

  it("has safe defaults for what it does not know, which a description overrules", () => {
    expect(findProfile("openai/llama-3.3")).toEqual({
      window: 32_000,
      maxOutput: 4_096,
      tools: true,
      summarises: true,
    });
    const described = { "openai/llama-3.3": { window: 8_192, price: { input: 0, output: 0 }, tools: false } };
    expect(findProfile("openai/llama-3.3", described)).toEqual({
      window: 8_192,
      maxOutput: 4_096,
      price: { input: 0, output: 0 },
      tools: false,
      summarises: true,
    });
    expect(findProfile("openai/other", described).window).toBe(32_000);
    expect(findProfile("constructor", described)).toMatchObject({ window: 32_000 });
  });
});

describe("choosing a model", () => {
  const all = {
    LEGION_MODEL: "openai/mine",
    ANTHROPIC_API_KEY: "a",
    OPENAI_API_KEY: "o",
    OPENAI_BASE_URL: "http://x",
  };

  it.each([
    [{ flag: "offline", config: "openai/c" }, all, "offline", "--model"],
    [{ config: "openai/c" }, all, "openai/mine", "LEGION_MODEL"],
    [{ config: "openai/c" }, { ...all, LEGION_MODEL: "" }, "openai/c", "config.yaml"],
    [{}, { ...all, LEGION_MODEL: undefined }, "anthropic/claude-sonnet-5-5", "ANTHROPIC_API_KEY"],
    [{}, { OPENAI_API_KEY: "o" }, "openai/gpt-6.1-terra", "OPENAI_API_KEY"],
    [{}, { OPENAI_BASE_URL: "http://x" }, "openai/gpt-6.1-terra", "OPENAI_BASE_URL"],
    [{}, { ANTHROPIC_API_KEY: "" }, "offline", "no ANTHROPIC_API_KEY"],
  ])("takes %j with %j to be %s", (configured, env, name, why) => {
    const choice = chooseModel(env, configured);
    expect(choice.name).toBe(name);
    expect(choice.why).toContain(why);
  });

  it("chooses models that it knows the price of and that can call tools", () => {
    for (const env of [{ ANTHROPIC_API_KEY: "a" }, { OPENAI_API_KEY: "o" }]) {
      expect(findProfile(chooseModel(env).name)).toMatchObject({ price: expect.anything(), tools: true });
    }
  });
});

describe("opening a model", () => {
  let dir: string;
  const loopback = useLoopback();
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "registry-"));
  });
  afterEach(() => rm(dir, { recursive: true }));
  const open = (name: string, deps: Partial<ModelDeps> = {}) => openModel(name, { env: {}, dir, ...deps });

  it("opens Anthropic and OpenAI by their keys", async () => {
    const env = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY };
    expect(await open("anthropic/claude-opus-5-5", { env })).toMatchObject({
      name: "anthropic/claude-opus-5-5",
      provider: "anthropic",
      profile: { window: 1_000_000 },
    });
    expect(await open("openai/some/model:7b", { env })).toMatchObject({
      name: "openai/some/model:7b",
      provider: "openai",
    });
  });

  it("leads to a compatible server, from the environment before the config, without a key", async () => {
    const answer = openAiChunks([{ choices: [{ delta: { content: "hi" }, finish_reason: "stop" }] }]);
    loopback.server.reply(answer, answer);
    const elsewhere = { openai: { baseUrl: "http://127.0.0.1:9/v1" } };
    const byEnv = await open("openai/x", {
      env: { OPENAI_BASE_URL: `${loopback.server.url}/v1` },
      providers: elsewhere,
    });
    expect((await byEnv.complete(ASK, { signal: NO_ABORT })).text).toBe("hi");
    const byConfig = await open("openai/x", {
      providers: { openai: { baseUrl: `${loopback.server.url}/v1` } },
    });
    expect((await byConfig.complete(ASK, { signal: NO_ABORT })).text).toBe("hi");
    expect(loopback.server.requests.map(({ path }) => path)).toEqual([
      "/v1/chat/completions",
      "/v1/chat/completions",
    ]);
  });

  it("hands the provider's settings and what is known of the model on", async () => {
    loopback.server.reply(json(200, { content: [{ type: "text", text: "hi" }], stop_reason: "end_turn" }));
    const model = await open("anthropic/claude-opus-5-5", {
      env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: loopback.server.url },
      providers: { anthropic: { stream: "off" } },
      models: { "anthropic/claude-opus-5-5": { window: 500_000 } },
    });
    expect(model.profile.window).toBe(500_000);
    expect((await model.complete(ASK, { signal: NO_ABORT })).text).toBe("hi");
    expect(JSON.parse(loopback.server.requests[0]!.body)).toMatchObject({ thinking: { type: "adaptive" } });
    expect(JSON.parse(loopback.server.requests[0]!.body)).not.toHaveProperty("stream");
  });

  it("opens a script relative to the project", async () => {
    await writeFile(join(dir, "s.yaml"), "- hello\n");
    const model = await open("scripted:s.yaml");
    expect(model.name).toBe("scripted:s.yaml");
    expect((await model.complete(ASK, { signal: NO_ABORT })).text).toBe("hello");
  });

  it.each([
    ["anthropic/claude-opus-5-5", "set ANTHROPIC_API_KEY"],
    ["openai/gpt-5", "set OPENAI_API_KEY"],
    ["anthropic/", "models are anthropic/<id>"],
    ["google/gemini", "models are anthropic/<id>, openai/<id>, offline, scripted:<file>"],
    ["claude-opus-5-5", "did you mean anthropic/claude-opus-5-5?"],
    ["gpt-5", "did you mean openai/gpt-5?"],
    ["o3", "did you mean openai/o3?"],
    ["", "models are"],
    ["openai/a b", "models are"],
    ["__proto__/x", "models are"],
  ])("refuses %j in one line with the way out", async (name, said) => {
    const error = await failureOf(open(name));
    expect(error.code).toBe("CONFIG");
    expect(error.message).toContain(said);
    expect(error.message).not.toContain("\n");
  });

  it("names the way out without a key", async () => {
    expect((await failureOf(open("openai/gpt-5"))).message).toContain("--model offline");
  });

  it.each(["localhost:11434", "ftp://x", "http://", "not a url", "https://me:secret@host/v1"])(
    "refuses the base URL %s without repeating it",
    async (url) => {
      const error = await failureOf(open("openai/x", { env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: KEY } }));
      expect(error).toMatchObject({ code: "CONFIG", message: expect.stringContaining("base URL of openai") });
      expect(error.message).not.toContain("secret");
    },
  );

  it("takes the blanks around a key away, and refuses a key with some in it without repeating it", async () => {
    const env = { OPENAI_BASE_URL: `${loopback.server.url}/v1`, OPENAI_API_KEY: ` ${KEY}\n` };
    await failureOf((await open("openai/x", { env })).complete(ASK, { signal: NO_ABORT }));
    expect(loopback.server.requests[0]!.headers.authorization).toBe(`Bearer ${KEY}`);
    for (const key of [`${KEY}\n${KEY}`, `${KEY}é`, "a b"]) {
      const error = await failureOf(open("openai/x", { env: { OPENAI_API_KEY: key } }));
      expect(error).toMatchObject({ code: "CONFIG", message: expect.stringContaining("OPENAI_API_KEY") });
      expect(error.message).not.toContain(KEY.slice(4));
    }
  });
});
