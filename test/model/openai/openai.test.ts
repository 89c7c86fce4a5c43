import { describe, expect, it } from "vitest";
import { json } from "../loopback.ts";
import { USAGE, openAiFormat, piece, say, useOpenAi } from "./openai-format.ts";
import { ASK, NO_ABORT, describeProvider, failureOf } from "../provider-contract.ts";

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

  it("makes up no parameters for a call that was cut off before any", async () => {
    const tool = (index: number) =>
      piece({ tool_calls: [{ index, id: `c${index}`, function: { name: "writeNote", arguments: "" } }] });
    const { completion } = await answer([tool(0), tool(1), piece({}, "length")], { ...ASK, tools });
    expect(completion.calls.map((call) => call.arguments)).toEqual(["{}", ""]);
  });

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
      { kind: "call", id: "a", name: "writeNote" },
      { kind: "call", id: "b", name: "writeNote" },
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

  it.each([
    ["never comes", undefined],
    ["comes late", "late"],
  ])("tells of a call whose id %s under the id that it has in the end", async (_, id) => {
    const { completion, deltas } = await answer([
      piece({ tool_calls: [{ index: 0, function: { name: "one", arguments: "" } }] }),
      piece({ tool_calls: [{ index: 0, id, function: { arguments: "{}" } }] }, "tool_calls"),
    ]);
    expect(deltas).toEqual([{ kind: "call", id: completion.calls[0]!.id, name: "one" }]);
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

  describe("from a server that does not stream", () => {
    const WHOLE = json(200, { choices: [{ message: { content: "hi" }, finish_reason: "stop" }] });
    const refusal = (status: number, message: string) => json(status, { error: { message } });
    const asked = (): readonly boolean[] =>
      loopback.server.requests.map(({ body }) => (JSON.parse(body) as { stream?: boolean }).stream === true);

    it.each([
      refusal(400, "Unsupported value: 'stream' does not support true with this model."),
      refusal(400, "Streaming completion is not support yet, please remove 'stream' key value"),
      refusal(422, "stream_options: extra fields not permitted"),
      refusal(501, "streaming is not implemented"),
    ])("asks again once without, remembers that and says so once", async (refused) => {
      const remarks: string[] = [];
      const asking = model({ onRemark: (remark) => remarks.push(remark) });
      loopback.server.reply(refused, WHOLE, WHOLE);
      for (let times = 0; times < 2; times++)
        expect((await asking.complete(ASK, { signal: NO_ABORT })).text).toBe("hi");
      expect(asked()).toEqual([true, false, false]);
      expect(remarks).toEqual([expect.stringContaining("does not stream")]);
    });

    it("takes a whole answer that comes in place of a stream, and does not have it paid twice", async () => {
      const remarks: string[] = [];
      const asking = model({ onRemark: (remark) => remarks.push(remark) });
      loopback.server.reply(WHOLE, WHOLE);
      for (let times = 0; times < 2; times++)
        expect((await asking.complete(ASK, { signal: NO_ABORT })).text).toBe("hi");
      expect(asked()).toEqual([true, false]);
      expect(remarks).toHaveLength(1);
    });

    it("fails as the second question does, and learns nothing of that", async () => {
      const asking = model({ onRemark: () => expect.unreachable() });
      loopback.server.reply(refusal(400, "no streaming"), refusal(429, "slow down"), say("streamed"));
      const error = await failureOf(asking.complete(ASK, { signal: NO_ABORT }));
      expect(error).toMatchObject({ code: "MODEL_BUSY", retryAfterMs: 0 });
      expect((await asking.complete(ASK, { signal: NO_ABORT })).text).toBe("streamed");
      expect(asked()).toEqual([true, false, true]);
    });

    it("does not ask again for what has other reasons", async () => {
      for (const reply of [
        refusal(429, "too many streams"),
        refusal(401, "no stream for you"),
        refusal(502, "upstream hung up"),
        refusal(500, "stream error: stream ID 5"),
        refusal(400, "bad tool"),
      ]) {
        loopback.server.reply(reply);
        await failureOf(model().complete(ASK, { signal: NO_ABORT }));
      }
      expect(asked()).toEqual([true, true, true, true, true]);
    });
  });

  describe("from a server whose model calls no tools", () => {
    const tool = [{ name: "noop", description: "", parameters: { type: "object" } }];

    it.each([
      [400, "registry.ollama.ai/library/gemma3:4b does not support tools"],
      [404, "No endpoints found that support tool use. To learn more about provider routing, visit: ..."],
      [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
      [500, "tools param requires --jinja flag"],
      [400, "Function calling is not enabled for this model"],
    ])("learns that from %i %s, and says it once", async (status, message) => {
      const remarks: string[] = [];
      const asking = model({ onRemark: (remark) => remarks.push(remark) });
      expect(asking.profile.tools).toBe(true);
      for (let times = 0; times < 2; times++) {
        loopback.server.reply(json(status, { error: { message } }));
        const error = await failureOf(asking.complete({ ...ASK, tools: tool }, { signal: NO_ABORT }));
        expect(error.code).toBe("MODEL_REFUSED");
        expect(error.message).toContain("`protocol: auto` or `text`");
      }
      expect(asking.profile.tools).toBe(false);
      expect(remarks).toEqual([expect.stringContaining("calls no tools")]);
    });

    it("learns nothing from a refusal of something else, or where no tools were sent", async () => {
      const asking = model();
      loopback.server.reply(json(400, { error: { message: "tools[0].function.name is too long" } }));
      await failureOf(asking.complete({ ...ASK, tools: tool }, { signal: NO_ABORT }));
      loopback.server.reply(json(400, { error: { message: "x does not support tools" } }));
      await failureOf(asking.complete(ASK, { signal: NO_ABORT }));
      expect(asking.profile.tools).toBe(true);
    });
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
