import { describe, expect, it } from "vitest";
import type { Turn } from "../../../src/domain/model.ts";
import { block, end, say, textBlock, useAnthropic, type AnthropicBody } from "./anthropic-format.ts";
import { json } from "../loopback.ts";
import { ASK, NO_ABORT, failureOf } from "../provider-contract.ts";

describe("what Anthropic is sent", () => {
  const { loopback, model, answer, sent, lastBody } = useAnthropic();
  const tools = [{ name: "writeNote", description: "Write", parameters: { type: "object" } }];

  /** An answer that thinks, speaks, thinks and calls. */
  const THINKING = [
    ...block(
      0,
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking: "First " },
      { type: "thinking_delta", thinking: "thought" },
      { type: "signature_delta", signature: "c2ln" },
    ),
    ...textBlock(1, "Some text."),
    ...block(2, { type: "redacted_thinking", data: "b3BhcXVl" }),
    ...block(
      3,
      { type: "thinking", thinking: "", signature: "" },
      { type: "signature_delta", signature: "Mm5k" },
    ),
    ...block(4, { type: "tool_use", id: "toolu_1", name: "writeNote", input: {} }),
    ...end("tool_use"),
  ];
  const thought = async (): Promise<Extract<Turn, { role: "assistant" }>> => {
    const { completion, deltas } = await answer(THINKING, { ...ASK, tools });
    expect(completion).toMatchObject({
      text: "Some text.",
      thoughts: expect.stringMatching(/^First thought/),
    });
    expect(deltas.filter(({ kind }) => kind === "thoughts")).toHaveLength(2);
    return {
      role: "assistant",
      text: completion.text,
      calls: [{ id: "toolu_1", action: "writeNote", parameters: {} }],
      model: "anthropic/test-1",
      // Through the log and back.
      provider: JSON.parse(JSON.stringify(completion.provider)) as unknown,
    };
  };
  const RESULTS: Turn = {
    role: "results",
    results: [{ call: "toolu_1", content: "written", isError: false }],
  };
  const kinds = (body: AnthropicBody): unknown[] => body.messages[1]!.content.map(({ type }) => type);

  it("sends thinking back whole and in its place, to the model that thought it", async () => {
    const body = await sent({ tools, turns: [...ASK.turns, await thought(), RESULTS] });
    expect(body.messages[1]).toEqual({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "First thought", signature: "c2ln" },
        { type: "text", text: "Some text." },
        { type: "redacted_thinking", data: "b3BhcXVl" },
        { type: "thinking", thinking: "", signature: "Mm5k" },
        { type: "tool_use", id: "toolu_1", name: "writeNote", input: {} },
      ],
    });
  });

  it("leaves thinking out for another model, for a changed turn, and where the log was damaged", async () => {
    const turn = await thought();
    const others: Turn[] = [
      { ...turn, model: "anthropic/test-2" },
      { ...turn, model: undefined },
      { ...turn, text: "Some other text." },
      { ...turn, provider: { content: [{ type: "thinking", thinking: 1, signature: "c2ln" }] } },
      { ...turn, provider: { content: [{ type: "text", length: -1 }] } },
      { ...turn, provider: { content: "thinking" } },
      { ...turn, provider: null },
      { ...turn, provider: "c2ln" },
    ];
    for (const other of others) {
      expect(kinds(await sent({ tools, turns: [...ASK.turns, other, RESULTS] }))).toEqual([
        "text",
        "tool_use",
      ]);
    }
  });

  it("asks to be tried again without earlier thinking when the API no longer accepts it", async () => {
    const request = { ...ASK, tools, turns: [...ASK.turns, await thought(), RESULTS] };
    const message =
      "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";
    const refusal = json(400, { type: "error", error: { type: "invalid_request_error", message } });
    const asked = model();
    loopback.server.reply(refusal, say("ok"), refusal);
    const error = await failureOf(asked.complete(request, { signal: NO_ABORT }));
    expect(error).toMatchObject({ code: "MODEL_BUSY", retryAfterMs: 0 });
    expect(kinds(lastBody())).toContain("thinking");
    await asked.complete(request, { signal: NO_ABORT });
    expect(kinds(lastBody())).toEqual(["text", "tool_use"]);
    // Without any thinking in it, the same words mean something else.
    expect((await failureOf(asked.complete(request, { signal: NO_ABORT }))).code).toBe("MODEL_REFUSED");
  });

  const MARK = { cache_control: { type: "ephemeral" } };

  it("marks the system prompt and the last two stable messages for the cache, and never what is pinned", async () => {
    const turns: Turn[] = [
      { role: "user", text: "one" },
      { role: "assistant", text: "1", calls: [] },
      { role: "user", text: "two" },
      { role: "assistant", text: "2", calls: [] },
      { role: "user", text: "three" },
      { role: "user", text: "four" },
    ];
    const body = await sent({ tools, turns, pinned: "Goals: none" });
    expect(Object.keys(body).indexOf("tools")).toBeLessThan(Object.keys(body).indexOf("system"));
    expect(body["system"]).toEqual([{ type: "text", text: "You are a test.", ...MARK }]);
    expect(body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "one" }] },
      { role: "assistant", content: [{ type: "text", text: "1" }] },
      { role: "user", content: [{ type: "text", text: "two", ...MARK }] },
      { role: "assistant", content: [{ type: "text", text: "2" }] },
      {
        role: "user",
        content: [
          { type: "text", text: "three" },
          { type: "text", text: "four", ...MARK },
          { type: "text", text: "Goals: none" },
        ],
      },
    ]);
  });

  it("keeps what was sent as the beginning of what is sent next, marks aside", async () => {
    const first: Turn[] = [{ role: "user", text: "one" }];
    const next: Turn[] = [
      ...first,
      { role: "assistant", text: "1", calls: [] },
      { role: "user", text: "two" },
    ];
    const unmarked = async (turns: Turn[], pinned: string): Promise<string> => {
      await sent({ turns, pinned });
      return loopback.server.requests.at(-1)!.body.replaceAll(/,"cache_control":\{"type":"ephemeral"\}/g, "");
    };
    const before = await unmarked(first, "Goals: none");
    const after = await unmarked(next, "Goals: one");
    expect(after.startsWith(before.slice(0, before.indexOf(',{"type":"text","text":"Goals')))).toBe(true);
  });

  it("puts results first in their message, whatever stands beside them", async () => {
    const call = { id: "a", action: "writeNote", parameters: ["not an object"] };
    const body = await sent({
      tools,
      turns: [
        { role: "user", text: "go" },
        {
          role: "assistant",
          text: "",
          calls: [call, { id: "x:y/z", action: "writeNote", parameters: { t: 1 } }],
        },
        {
          role: "results",
          results: [
            { call: "a", content: "", isError: true },
            { call: "x:y/z", content: "fine", isError: false },
          ],
        },
        { role: "user", text: "and?" },
      ],
      pinned: "Goals: none",
    });
    const [, assistant, user] = body.messages;
    const id = assistant!.content[1]!["id"];
    expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(assistant!.content).toEqual([
      { type: "tool_use", id: "a", name: "writeNote", input: {} },
      { type: "tool_use", id, name: "writeNote", input: { t: 1 } },
    ]);
    expect(user!.content).toEqual([
      { type: "tool_result", tool_use_id: "a", is_error: true },
      { type: "tool_result", tool_use_id: id, content: "fine" },
      { type: "text", text: "and?", ...MARK },
      { type: "text", text: "Goals: none" },
    ]);
  });

  it("begins and ends with the user, and sends no blank block", async () => {
    const body = await sent({
      system: " ",
      turns: [
        { role: "user", text: " \n" },
        { role: "assistant", text: "Hello.", calls: [] },
        { role: "assistant", text: "", calls: [] },
      ],
    });
    expect(body).not.toHaveProperty("system");
    expect(body).not.toHaveProperty("tools");
    expect(body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "(no message)" }] },
      { role: "assistant", content: [{ type: "text", text: "Hello." }] },
      { role: "user", content: [{ type: "text", text: "(no message)" }] },
    ]);
  });

  it("asks with what is pinned when there is no history", async () => {
    const { messages } = await sent({ turns: [], pinned: "Goals: none" });
    expect(messages).toEqual([{ role: "user", content: [{ type: "text", text: "Goals: none" }] }]);
  });
});
