import { describe, expect, it } from "vitest";
import type { Completion } from "../../../src/domain/model.ts";
import { START, USAGE, anthropicFormat, block, end, textBlock, useAnthropic } from "./anthropic-format.ts";
import { anthropicEvents, json } from "../loopback.ts";
import { ASK, KEY, NO_ABORT, describeProvider, failureOf } from "../provider-contract.ts";

describeProvider(anthropicFormat);

describe("anthropic", () => {
  const { loopback, model, answer, sent } = useAnthropic();

  it("speaks the present version of the API", async () => {
    await sent({});
    const { path, headers } = loopback.server.requests[0]!;
    expect(path).toBe("/v1/messages");
    expect(headers["anthropic-version"]).toBe("2026-10-21");
    expect(headers["x-api-key"]).toBeUndefined();
  });

  it("speaks the former version with a compatible server that asks for it", async () => {
    await sent({}, { apiVersion: "2023-06-01" });
    const { headers } = loopback.server.requests[0]!;
    expect(headers["anthropic-version"]).toBe("2023-06-01");
    expect(headers["x-api-key"]).toBe(KEY);
    expect(headers.authorization).toBeUndefined();
  });

  it("asks for thinking that can be read only where the model has it", async () => {
    expect(await sent({})).not.toHaveProperty("thinking");
    expect(await sent({}, { thinking: "adaptive" })).toMatchObject({
      thinking: { type: "adaptive", display: "summarized" },
    });
  });

  it("counts what came from and went to the cache as input, the last count of each", async () => {
    const start = {
      ...START,
      message: { usage: { ...USAGE, cache_read_input_tokens: 100, output_tokens: 1 } },
    };
    loopback.server.reply(
      anthropicEvents([
        start,
        ...textBlock(0, "hi"),
        ...end("end_turn", { input_tokens: null, cache_creation_input_tokens: 20, output_tokens: 7 }),
      ]),
    );
    const { usage } = await model().complete(ASK, { signal: NO_ABORT });
    expect(usage).toEqual({ input: 130, output: 7, cacheRead: 100, cacheWrite: 20 });
  });

  it.each([
    ["end_turn", "end"],
    ["stop_sequence", "end"],
    ["max_tokens", "length"],
    ["refusal", "refused"],
    ["pause_turn", "end"],
    ["tool_use", "end"],
    ["something_new", "end"],
  ])("takes the stop reason %s for %s", async (reason, stop) => {
    expect((await answer([...textBlock(0, "x"), ...end(reason)])).completion.stop).toBe(stop);
  });

  it("takes an answer that filled the window for an overflow", async () => {
    loopback.server.reply(
      anthropicEvents([START, ...textBlock(0, "x"), ...end("model_context_window_exceeded")]),
    );
    expect((await failureOf(model().complete(ASK, { signal: NO_ABORT }))).code).toBe("CONTEXT_OVERFLOW");
  });

  const tools = [
    { name: "writeNote", description: "Write", parameters: { type: "object" } },
    { name: "mcp.search", description: "Search", parameters: { type: "object" } },
  ];

  it("reads text and several calls, streamed and whole, to the same completion", async () => {
    const { tools: sentTools } = await sent({ tools });
    const [, search] = sentTools as { name: string; input_schema: unknown }[];
    expect(search).toEqual({
      name: expect.stringMatching(/^mcp_search_/),
      description: "Search",
      input_schema: { type: "object" },
    });
    const expected: Partial<Completion> = {
      text: "Let me look.",
      calls: [
        { id: "toolu_1", name: "mcp.search", arguments: '{"q":"x"}' },
        { id: "toolu_2", name: "writeNote", arguments: "{}" },
      ],
      stop: "calls",
    };
    const { completion, deltas } = await answer(
      [
        ...textBlock(0, "Let me look."),
        ...block(
          1,
          { type: "tool_use", id: "toolu_1", name: search!.name, input: {} },
          { type: "input_json_delta", partial_json: '{"q":' },
          { type: "input_json_delta", partial_json: '"x"}' },
        ),
        ...block(2, { type: "tool_use", id: "toolu_2", name: "writeNote", input: {} }),
        ...end("tool_use"),
      ],
      { ...ASK, tools },
    );
    expect(completion).toMatchObject(expected);
    expect(deltas.filter(({ kind }) => kind === "call")).toEqual([
      { kind: "call", id: "toolu_1", name: "mcp.search" },
      { kind: "call", id: "toolu_2", name: "writeNote" },
    ]);
    loopback.server.reply(
      json(200, {
        content: [
          { type: "text", text: "Let me look." },
          { type: "tool_use", id: "toolu_1", name: search!.name, input: { q: "x" } },
          { type: "tool_use", id: "toolu_2", name: "writeNote", input: {} },
        ],
        stop_reason: "tool_use",
        usage: USAGE,
      }),
    );
    const whole = await model({ stream: "off" }).complete({ ...ASK, tools }, { signal: NO_ABORT });
    expect(whole).toEqual(completion);
  });

  it("makes up no parameters for a call that was cut off before any, and keeps no half thought", async () => {
    const tool = (index: number): { type: string }[] =>
      block(index, { type: "tool_use", id: `toolu_${index}`, name: "writeNote", input: {} });
    const { completion } = await answer([...tool(0), ...tool(1), ...end("max_tokens")], { ...ASK, tools });
    expect(completion.calls.map((call) => call.arguments)).toEqual(["{}", ""]);
    const thinking = block(
      1,
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking: "Let me" },
    );
    const thought = await answer([...textBlock(0, "So"), ...thinking, ...end("max_tokens")]);
    expect(thought.completion).toMatchObject({ text: "So", thoughts: "Let me", provider: undefined });
  });
});
