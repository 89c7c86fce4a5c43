import { describe, expect, it } from "vitest";
import { json } from "./loopback.ts";
import { USAGE, openAiFormat, piece, say, useOpenAi } from "./openai-format.ts";
import { ASK, NO_ABORT, describeProvider, failureOf } from "./provider-contract.ts";

describeProvider(openAiFormat);

describe("openai", () => {
  const { loopback, model, answer } = useOpenAi();

  it("reads usage with what came from and went to the cache", async () => {
    const usage = {
      ...USAGE,
      prompt_tokens: 100,
      prompt_tokens_details: { cached_tokens: 64, cache_write_tokens: 30 },
    };
    const { completion } = await answer([piece({ content: "x" }, "stop"), { choices: [], usage }]);
    expect(completion.usage).toEqual({ input: 100, output: 4, cacheRead: 64, cacheWrite: 30 });
  });

  it("estimates usage where a server does not count", async () => {
    const { completion } = await answer([piece({ content: "four" }, "stop")]);
    expect(completion.usage).toEqual({
      input: Math.ceil(loopback.server.requests[0]!.body.length / 4),
      output: 1,
    });
  });

  it.each([
    ["stop", "end"],
    ["length", "length"],
    ["content_filter", "refused"],
    ["tool_calls", "end"],
    ["something_new", "end"],
  ])("takes the finish reason %s for %s", async (finish, stop) => {
    expect((await answer([piece({ content: "x" }, finish)])).completion.stop).toBe(stop);
  });

  const tools = [
    { name: "writeNote", description: "Write", parameters: { type: "object" } },
    { name: "mcp.search: web", description: "Search", parameters: { type: "object" } },
  ];

  it("puts several calls together from their pieces, and names each as it begins", async () => {
    const { completion, deltas } = await answer(
      [
        piece({ tool_calls: [{ index: 0, id: "a", function: { name: "writeNote", arguments: "" } }] }),
        piece({ tool_calls: [{ index: 0, function: { arguments: '{"ti' } }] }),
        piece({ tool_calls: [{ index: 1, id: "b", function: { name: "writeNote", arguments: '{"n":2}' } }] }),
        piece({ tool_calls: [{ index: 0, function: { arguments: 'tle":"x"}' } }] }),
        piece({}, "tool_calls"),
      ],
      { ...ASK, tools },
    );
    expect(completion.calls).toEqual([
      { id: "a", name: "writeNote", arguments: '{"title":"x"}' },
      { id: "b", name: "writeNote", arguments: '{"n":2}' },
    ]);
    expect(completion.stop).toBe("calls");
    expect(deltas).toEqual([
      { kind: "call", name: "writeNote" },
      { kind: "call", name: "writeNote" },
    ]);
  });

  it.each([
    ["the same index for every call", { index: 0 }, { index: 0 }],
    ["no index", {}, {}],
  ])("tells calls apart that have %s", async (_, first, second) => {
    const { completion } = await answer([
      piece({ tool_calls: [{ ...first, id: "a", function: { name: "one", arguments: "{}" } }] }),
      piece({ tool_calls: [{ ...second, id: "b", function: { name: "two", arguments: '{"x":' } }] }),
      piece({ tool_calls: [{ ...second, function: { arguments: "1}" } }] }),
      piece({}, "stop"),
    ]);
    expect(completion.calls).toEqual([
      { id: "a", name: "one", arguments: "{}" },
      { id: "b", name: "two", arguments: '{"x":1}' },
    ]);
  });

  it("gives calls without ids ids of their own, and takes arguments that are objects", async () => {
    const { completion } = await answer([
      piece(
        { tool_calls: [{ function: { name: "one", arguments: { x: 1 } } }, { function: { name: "two" } }] },
        "stop",
      ),
    ]);
    const [one, two] = completion.calls;
    expect(one).toMatchObject({ name: "one", arguments: '{"x":1}' });
    expect(two).toMatchObject({ name: "two", arguments: "{}" });
    expect(one!.id).toMatch(/^[a-zA-Z0-9_-]{8,64}$/);
    expect(one!.id).not.toBe(two!.id);
  });

  it.each(["reasoning_content", "reasoning"])(
    "takes %s of compatible servers for thoughts",
    async (field) => {
      const { completion, deltas } = await answer([
        piece({ [field]: "hm, " }),
        piece({ [field]: "well" }),
        piece({ content: "Yes." }, "stop"),
      ]);
      expect(completion).toMatchObject({ text: "Yes.", thoughts: "hm, well" });
      expect(deltas.map((delta) => delta.kind)).toEqual(["thoughts", "thoughts", "text"]);
    },
  );

  it("advises to turn streaming off when a server answers a stream with something else", async () => {
    loopback.server.reply(json(200, { choices: [{ message: { content: "hi" }, finish_reason: "stop" }] }));
    const error = await failureOf(model().complete(ASK, { signal: NO_ABORT }));
    expect(error.message).toContain("providers.openai.stream to off");
  });

  it("refuses when there is no credit left, though the status is that of a rate limit", async () => {
    loopback.server.reply(
      json(429, { error: { message: "You exceeded your current quota", code: "insufficient_quota" } }),
    );
    const error = await failureOf(model().complete(ASK, { signal: NO_ABORT }));
    expect(error.code).toBe("MODEL_REFUSED");
  });

  it("knows OpenAI's own code for a long prompt", async () => {
    loopback.server.reply(json(400, { error: { message: "too much", code: "context_length_exceeded" } }));
    expect((await failureOf(model().complete(ASK, { signal: NO_ABORT }))).code).toBe("CONTEXT_OVERFLOW");
  });

  it("works without a key where a server needs none", async () => {
    loopback.server.reply(say("ok"));
    await model({ apiKey: "" }).complete(ASK, { signal: NO_ABORT });
    expect(loopback.server.requests).toHaveLength(1);
  });
});
