import { describe, expect, it } from "vitest";
import { chooseModel, type Said } from "../../../src/model/registry/choice.ts";
import { findModel } from "../../../src/model/registry/profiles.ts";
import { startLmStudio, startOllama, type LocalModel } from "../../local-servers.ts";
import { json, text, useLoopback } from "../loopback.ts";
import { KEY, failureOf } from "../provider-contract.ts";

const all = {
  LEGION_MODEL: "openai/mine",
  ANTHROPIC_API_KEY: "a",
  OPENAI_API_KEY: "o",
  OPENAI_BASE_URL: "http://localhost:1/v1",
};

describe("choosing a model", () => {
  it.each([
    [{ flag: "offline", config: "openai/c" }, all, "offline", "--model"],
    [{ config: "openai/c" }, all, "openai/mine", "LEGION_MODEL"],
    [{ config: "openai/c" }, { ...all, LEGION_MODEL: "" }, "openai/c", "config.yaml"],
    [{}, { ...all, LEGION_MODEL: undefined }, "anthropic/claude-sonnet-5-5", "ANTHROPIC_API_KEY"],
    [{}, { OPENAI_API_KEY: "o" }, "openai/gpt-6.1-terra", "OPENAI_API_KEY"],
    [
      {},
      { OPENAI_API_KEY: "o", OPENAI_BASE_URL: "https://eu.api.openai.com/v1" },
      "openai/gpt-6.1-terra",
      "OPENAI_API_KEY",
    ],
    [{}, { ANTHROPIC_API_KEY: "" }, "offline", "no ANTHROPIC_API_KEY"],
  ])("takes %j with %j to be %s", async (said, env, name, why) => {
    const choice = await chooseModel(env, said);
    expect(choice.name).toBe(name);
    expect(choice.why).toContain(why);
  });

  it("chooses models that it knows the price of and that can call tools", async () => {
    for (const env of [{ ANTHROPIC_API_KEY: "a" }, { OPENAI_API_KEY: "o" }]) {
      const { name } = await chooseModel(env);
      expect(findModel(name).profile).toMatchObject({ price: expect.anything(), tools: true });
    }
  });
});

describe("a server that is set, and no model named", () => {
  const loopback = useLoopback();
  const EMBEDDERS: readonly LocalModel[] = [
    "nomic-embed-text:latest",
    "text-embedding-bge-m3",
    "whisper-1",
  ].map((id) => ({ id, can: "embed" }));
  const said = (error: { message: string; code: string }): string => {
    expect(error.code).toBe("CONFIG");
    expect(error.message).not.toContain("\n");
    return error.message;
  };
  const atLoopback = () => ({ OPENAI_BASE_URL: `${loopback.server.url}/v1`, OPENAI_API_KEY: KEY });

  it.each([startOllama, startLmStudio])(
    "is asked, and its only model that chats is taken: %o",
    async (start) => {
      const server = await start([...EMBEDDERS, { id: "qwen3:8b" }]);
      for (const env of [
        { OPENAI_BASE_URL: server.baseUrl },
        { OPENAI_BASE_URL: `${server.baseUrl}/`, OPENAI_API_KEY: "any" },
      ])
        expect(await chooseModel(env)).toEqual({
          name: "openai/qwen3:8b",
          why: "its only model; OPENAI_BASE_URL is set",
        });
      const providers: Said["providers"] = { openai: { baseUrl: server.baseUrl } };
      expect((await chooseModel({}, { providers })).why).toBe(
        "its only model; providers.openai.baseUrl is set",
      );
    },
  );

  it("is not asked where a model is named, or another provider comes first", async () => {
    const env = atLoopback();
    await chooseModel({ ...env, LEGION_MODEL: "openai/x" });
    await chooseModel(env, { config: "openai/x" });
    await chooseModel({ ...env, ANTHROPIC_API_KEY: "a" });
    expect(loopback.server.requests).toEqual([]);
  });

  it("lists several, with the way to choose", async () => {
    const server = await startOllama([{ id: "qwen3:8b" }, { id: "llama3.2:latest" }, ...EMBEDDERS]);
    const message = said(await failureOf(chooseModel({ OPENAI_BASE_URL: server.baseUrl })));
    expect(message).toContain(`${server.baseUrl} has 2 models`);
    expect(message).toContain("openai/qwen3:8b, openai/llama3.2:latest");
    for (const way of ["--model", "LEGION_MODEL", "`model:`"]) expect(message).toContain(way);
    const router = await startOllama(Array.from({ length: 300 }, (_, n) => ({ id: `model-${n}` })));
    const long = said(await failureOf(chooseModel({ OPENAI_BASE_URL: router.baseUrl })));
    expect(long).toContain("and 280 more (`legion models`)");
    expect(long.length).toBeLessThan(900);
  });

  it.each([startOllama, startLmStudio])("says what to do where it has none: %o", async (start) => {
    const server = await start(start === startOllama ? [] : EMBEDDERS);
    const message = said(await failureOf(chooseModel({ OPENAI_BASE_URL: server.baseUrl })));
    expect(message).toContain("has no model that chats");
    expect(message).toContain("ollama pull");
  });

  it("says that nobody is there, and in how long", async () => {
    const gone = await startOllama([]);
    await gone.close();
    const message = said(await failureOf(chooseModel({ OPENAI_BASE_URL: gone.baseUrl })));
    expect(message).toMatch(/nobody answers at .* \(ECONNREFUSED\): start the server, or check the URL/);
    loopback.server.reply(() => {});
    const { listModels } = await import("../../../src/model/registry/server.ts");
    const server = { baseUrl: `${loopback.server.url}/v1`, apiKey: "" };
    const error = await failureOf(listModels(server, { timeoutMs: 50 }));
    expect(error.message).toContain("no answer within 0.05 s");
    // One that sends its list for ever.
    loopback.server.reply((response) => void response.writeHead(200).write('{"data": ['));
    expect((await failureOf(listModels(server, { timeoutMs: 50 }))).message).toContain("no answer within");
  });

  it("says so where a base URL leads past the API", async () => {
    for (const start of [startOllama, startLmStudio]) {
      const server = await start([{ id: "x" }]);
      const baseUrl = server.baseUrl.replace("/v1", "");
      const message = said(await failureOf(chooseModel({ OPENAI_BASE_URL: baseUrl })));
      expect(message).toContain("does not list its models");
      expect(message).toContain("most base URLs end in /v1");
    }
  });

  it("sends the key and says where one is missing, without repeating one", async () => {
    loopback.server.reply(json(401, { error: { message: `wrong key ${KEY}` } }));
    const message = said(await failureOf(chooseModel(atLoopback())));
    expect(message).toContain("wants a key (401): set OPENAI_API_KEY");
    expect(message).not.toContain(KEY);
    expect(loopback.server.requests[0]!.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it("is not asked where the key of a person would be given away", async () => {
    const providers = { openai: { baseUrl: `${loopback.server.url}/v1`, refusal: "not with your key" } };
    expect(said(await failureOf(chooseModel({ OPENAI_API_KEY: KEY }, { providers })))).toBe(
      "not with your key",
    );
    expect(loopback.server.requests).toEqual([]);
  });

  it("takes nothing but names from what is sent", async () => {
    const odd = ["\u001b[2Jx", "two words", "", "x".repeat(300), 7, null, { id: "nested" }, "fine"];
    loopback.server.reply(json(200, { data: [...odd.map((id) => ({ id })), null, "text", { id: "fine" }] }));
    expect((await chooseModel(atLoopback())).name).toBe("openai/fine");
    for (const body of ["", "[]", "null", '"x"', "{", '{"data": 3}', '{"data": {"id": "x"}}']) {
      loopback.server.reply(text(200, body));
      expect(said(await failureOf(chooseModel(atLoopback())))).toContain("does not list its models");
    }
  });
});
