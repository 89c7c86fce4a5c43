import { describe, expect, it } from "vitest";
import type { Turn } from "../../../src/domain/model.ts";
import { piece, useOpenAi } from "./openai-format.ts";
import { ASK } from "../provider-contract.ts";

describe("what OpenAI is sent", () => {
  const { answer, sent, own } = useOpenAi();
  const tools = [
    { name: "writeNote", description: "Write", parameters: { type: "object" } },
    { name: "mcp.search: web", description: "Search", parameters: { type: "object" } },
  ];

  it("caps the output in the words of OpenAI, and of compatible servers", async () => {
    expect(await sent(ASK, own)).toMatchObject({ max_completion_tokens: 500 });
    expect(await sent(ASK, own)).not.toHaveProperty("max_tokens");
    expect(await sent(ASK)).toMatchObject({ max_tokens: 500, stream_options: { include_usage: true } });
    expect(await sent(ASK)).not.toHaveProperty("max_completion_tokens");
  });

  it("turns reasoning off only at OpenAI, only with tools, only for models that need it", async () => {
    expect(await sent({ ...ASK, tools }, { ...own, effortWithTools: "none" })).toMatchObject({
      reasoning_effort: "none",
    });
    expect(await sent(ASK, { ...own, effortWithTools: "none" })).not.toHaveProperty("reasoning_effort");
    expect(await sent({ ...ASK, tools }, own)).not.toHaveProperty("reasoning_effort");
    expect(await sent({ ...ASK, tools }, { effortWithTools: "none" })).not.toHaveProperty("reasoning_effort");
  });

  const turns: Turn[] = [
    { role: "user", text: "first" },
    { role: "user", text: "second" },
    {
      role: "assistant",
      text: "",
      calls: [
        { id: "1>2#3", action: "mcp.search: web", parameters: { q: "x" } },
        { id: "b", action: "writeNote", parameters: "not an object" },
      ],
    },
    {
      role: "results",
      results: [
        { call: "1>2#3", content: "found", isError: false },
        { call: "b", content: "bad", isError: true },
      ],
    },
    { role: "assistant", text: "Done.", calls: [] },
    { role: "assistant", text: "  ", calls: [] },
    { role: "user", text: " " },
    { role: "user", text: "third" },
  ];

  it("writes turns as messages, with names and ids that the API allows", async () => {
    const { messages, tools: sentTools } = await sent({ ...ASK, tools, turns, pinned: "Goals: none" }, own);
    const name = sentTools[1]!.function.name;
    expect(name).toMatch(/^mcp_search__web_[0-9a-f]{16}$/);
    const id = (messages[3] as { tool_calls: { id: string }[] }).tool_calls[0]!.id;
    expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(messages).toEqual([
      { role: "system", content: "You are a test." },
      { role: "user", content: "first" },
      { role: "user", content: "second" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id, type: "function", function: { name, arguments: '{"q":"x"}' } },
          { id: "b", type: "function", function: { name: "writeNote", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: id, content: "found" },
      { role: "tool", tool_call_id: "b", content: "bad" },
      { role: "assistant", content: "Done." },
      { role: "user", content: "third" },
      { role: "user", content: "Goals: none" },
    ]);
  });

  it("gives a call back under the tool's own name", async () => {
    const { tools: sentTools } = await sent({ ...ASK, tools });
    const { name } = sentTools[1]!.function;
    const { completion, deltas } = await answer(
      [piece({ tool_calls: [{ index: 0, id: "a", function: { name, arguments: "{}" } }] }, "tool_calls")],
      { ...ASK, tools },
    );
    expect(completion.calls[0]!.name).toBe("mcp.search: web");
    expect(deltas).toEqual([{ kind: "call", id: "a", name: "mcp.search: web" }]);
  });

  it("lets the roles alternate for compatible servers", async () => {
    const { messages } = await sent({ ...ASK, turns, pinned: "Goals: none" });
    expect(messages[1]).toEqual({
      role: "user",
      content: [
        { type: "text", text: "first" },
        { type: "text", text: "second" },
      ],
    });
    expect(messages.at(-1)).toEqual({
      role: "user",
      content: [
        { type: "text", text: "third" },
        { type: "text", text: "Goals: none" },
      ],
    });
  });

  it("always asks something", async () => {
    expect((await sent({ ...ASK, system: "", turns: [], pinned: "" })).messages).toEqual([
      { role: "user", content: "(no message)" },
    ]);
  });
});
