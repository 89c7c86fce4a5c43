import { Anthropic } from "@anthropic-ai/sdk";
import fc from "fast-check";
import { OpenAI } from "openai";
import { describe, expect, it } from "vitest";
import { createAnthropicHistory } from "../../../src/model/anthropic/history.ts";
import { createAnthropicModel } from "../../../src/model/anthropic/anthropic.ts";
import { createToolsets, jsonArray, jsonObject, toJson, wireName } from "../../../src/model/http/body.ts";
import type { ModelRequest, Turn } from "../../../src/domain/model.ts";
import { createOpenAiHistory } from "../../../src/model/openai/history.ts";
import { createOpenAiModel } from "../../../src/model/openai/openai.ts";
import { json, useLoopback } from "../loopback.ts";
import { KEY, NO_ABORT, PROFILE, failureOf } from "../provider-contract.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", " ", "\n", '"\\', "\u2028", "\u0000", "\\ud800"),
);
const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({ role: fc.constant("user" as const), text }),
  fc.record({
    role: fc.constant("assistant" as const),
    text,
    calls: fc.array(
      fc.record({ id: text, action: text, parameters: fc.oneof(fc.dictionary(text, fc.jsonValue()), text) }),
      { maxLength: 3 },
    ),
  }),
  fc.record({
    role: fc.constant("results" as const),
    results: fc.array(fc.record({ call: text, content: text, isError: fc.boolean() }), { maxLength: 3 }),
  }),
);
const request = fc.record({ system: text, turns: fc.array(turn, { maxLength: 12 }), pinned: text });

interface AnthropicMessage {
  readonly role: string;
  readonly content: { readonly type: string; readonly text?: string; readonly cache_control?: unknown }[];
}

function wellFormed(value: string): string {
  return Buffer.from(value).toString();
}

describe("body", () => {
  it("replaces lone surrogates, and nothing else", () => {
    const strange = 'a\ud800b \udc00\ud83e\udd9c \\ud800 \\\\ud800 "\u2028\u0000';
    expect(JSON.parse(toJson({ [strange]: strange }))).toEqual({
      [wellFormed(strange)]: wellFormed(strange),
    });
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        expect(JSON.parse(toJson(value))).toBe(wellFormed(value));
      }),
    );
  });

  it("writes objects as JSON.stringify does", () => {
    const value = { a: [1, { b: "ü" }], 'quo"te': null, last: "x" };
    const members = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toJson(member)]));
    expect(jsonObject({ ...members, absent: undefined })).toBe(JSON.stringify(value));
    expect(jsonObject({})).toBe("{}");
    expect(jsonArray([])).toBe("[]");
  });

  it("gives names that are not allowed a stand-in of their own, the same every time", () => {
    expect(wireName("addGoal_2-x")).toBe("addGoal_2-x");
    const strange = ["", "a.b", "a b", "a_b ", "ü", "x".repeat(65), "x".repeat(66), "x".repeat(100_000)];
    const written = strange.map(wireName);
    expect(written).toEqual(strange.map(wireName));
    expect(new Set(written).size).toBe(strange.length);
    for (const name of written) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  it("writes a list of tools once", () => {
    let written = 0;
    const toolsets = createToolsets((tool, name) => ({ name, nth: ++written, about: tool.description }));
    const tools = [{ name: "a.b", description: "x", parameters: {} }];
    expect(toolsets(tools)).toBe(toolsets(tools));
    expect(written).toBe(1);
    expect(toolsets(tools).nameOf(wireName("a.b"))).toBe("a.b");
    expect(toolsets(tools).nameOf("constructor")).toBe("constructor");
  });

  it("writes a turn once, however many prompts it is part of", () => {
    let reads = 0;
    const observed: Turn = {
      role: "user",
      get text() {
        reads++;
        return "hello";
      },
    };
    for (const write of [createAnthropicHistory("anthropic/x", "keep"), createOpenAiHistory("free")]) {
      write({ system: "", turns: [observed], pinned: "" });
      const once = reads;
      for (let n = 0; n < 3; n++) write({ system: "", turns: [observed], pinned: `${n}` });
      expect(reads).toBe(once);
    }
  });

  it("writes a history the same whether or not it wrote an earlier state of it", () => {
    const grown = fc.array(turn, { maxLength: 20 }).chain((turns) =>
      fc.tuple(fc.constant(turns), fc.array(fc.subarray(turns), { maxLength: 6 })).map(([all, parts]) => [
        ...all.map((_, length) => all.slice(0, length + 1)),
        // Forgotten, summarised, branched: any part of it, in any order of prompts.
        ...parts,
        all,
      ]),
    );
    fc.assert(
      fc.property(grown, text, (histories, pinned) => {
        const writers = [
          () => createAnthropicHistory("anthropic/x", "keep"),
          () => createOpenAiHistory("free"),
          () => createOpenAiHistory("alternate"),
        ];
        for (const create of writers) {
          const write = create();
          for (const turns of histories) {
            const given = { system: "", turns, pinned };
            expect(write(given)).toBe(create()(given));
          }
        }
      }),
    );
  });

  it("writes any history to Anthropic as valid messages in canonical JSON", () => {
    fc.assert(
      fc.property(request, (given) => {
        const body = createAnthropicHistory("anthropic/x", "keep")(given);
        const messages = JSON.parse(body) as AnthropicMessage[];
        expect(body).toBe(JSON.stringify(messages));
        expect(messages.map(({ role }) => role)).toEqual(
          messages.map((_, index) => (index % 2 === 0 ? "user" : "assistant")),
        );
        expect(messages.length % 2).toBe(1);
        const blocks = messages.flatMap(({ content }) => content);
        expect(blocks.filter((block) => block.type === "text" && !block.text?.trim())).toEqual([]);
        expect(blocks.filter((block) => block.cache_control).length).toBeLessThanOrEqual(2);
        for (const { content } of messages) {
          expect(content.length).toBeGreaterThan(0);
          const firstOther = content.findIndex(({ type }) => type !== "tool_result");
          if (firstOther >= 0)
            expect(content.slice(firstOther).some(({ type }) => type === "tool_result")).toBe(false);
        }
      }),
    );
  });

  it("writes any history to OpenAI as valid messages in canonical JSON", () => {
    fc.assert(
      fc.property(request, fc.constantFrom("free" as const, "alternate" as const), (given, roles) => {
        const body = createOpenAiHistory(roles)(given);
        const messages = JSON.parse(body) as { role: string; content: unknown }[];
        expect(body).toBe(JSON.stringify(messages));
        expect(messages.length).toBeGreaterThan(0);
        if (roles === "alternate") {
          const users = messages.map(({ role }) => role === "user");
          expect(users.some((user, index) => user && users[index + 1])).toBe(false);
        }
      }),
    );
  });
});

describe("a body on the wire", () => {
  const loopback = useLoopback();

  const asked: ModelRequest = {
    system: 'You are "a test" 🦜.\u2028',
    tools: [
      {
        name: "writeNote",
        description: "ü\n",
        parameters: { type: "object", properties: { n: { minimum: -0.5 } } },
      },
    ],
    turns: [
      { role: "user", text: "\\ud800 \u0007 </script>" },
      {
        role: "assistant",
        text: "Ja.",
        calls: [{ id: "a", action: "writeNote", parameters: { 2: [null, 1e21], 1: "x" } }],
      },
      { role: "results", results: [{ call: "a", content: "ok", isError: false }] },
    ],
    pinned: "Goals: none",
    maxOutput: 300,
  };
  const busy = json(500, {});
  const options = () => ({ id: "m", profile: PROFILE, apiKey: KEY, baseUrl: loopback.server.url });

  it("is byte for byte what Anthropic's SDK would have sent", async () => {
    loopback.server.reply(busy, busy);
    await failureOf(
      createAnthropicModel({ ...options(), thinking: "adaptive" }).complete(asked, { signal: NO_ABORT }),
    );
    const { body, headers } = loopback.server.requests[0]!;
    const sdk = new Anthropic({ apiKey: KEY, baseURL: loopback.server.url, maxRetries: 0, logLevel: "off" });
    await expect(
      sdk.messages.create(JSON.parse(body) as Anthropic.MessageCreateParamsStreaming),
    ).rejects.toThrow("500");
    expect(loopback.server.requests[1]!.body).toBe(body);
    expect(loopback.server.requests[1]!.headers["content-type"]).toBe(headers["content-type"]);
    expect(loopback.server.requests[1]!.headers["content-length"]).toBe(headers["content-length"]);
  });

  it("is byte for byte what OpenAI's SDK would have sent", async () => {
    loopback.server.reply(busy, busy);
    await failureOf(createOpenAiModel(options()).complete(asked, { signal: NO_ABORT }));
    const { body, headers } = loopback.server.requests[0]!;
    const sdk = new OpenAI({ apiKey: KEY, baseURL: loopback.server.url, maxRetries: 0, logLevel: "off" });
    type Params = OpenAI.ChatCompletionCreateParamsStreaming;
    await expect(sdk.chat.completions.create(JSON.parse(body) as Params)).rejects.toThrow("500");
    expect(loopback.server.requests[1]!.body).toBe(body);
    expect(loopback.server.requests[1]!.headers["content-type"]).toBe(headers["content-type"]);
  });
});
