// Thinking that a provider is sent again fills its window like all else.

import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { notes } from "../../../modules/notes.ts";
import type { Model } from "../../../src/domain/model.ts";
import { thinkingTokens } from "../../../src/model/anthropic/history.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { createWorldInMemory as createWorld, type World } from "../../world.ts";

const NAME = "anthropic/thinker";
const STEPS = 12;
const THRESHOLD = 4_000;

/** Takes short steps after long thoughts of about 500 tokens each. */
function thinker(thinks: (n: number) => object): Model {
  let n = 0;
  const scripted = createScriptedModel(
    ({ pinned }): ScriptedAnswer => {
      if (pinned.startsWith("Write a summary")) return "Some steps.";
      const parameters = { title: `n${n % 3}`, content: "short" };
      return n++ < STEPS ? { calls: [{ action: "writeNote", parameters }] } : { calls: [{ action: "noop" }] };
    },
    { name: NAME },
  );
  return {
    ...scripted,
    thinkingTokens: (turn) => thinkingTokens(turn, NAME),
    async complete(request, run) {
      const completion = await scripted.complete(request, run);
      return { ...completion, provider: { content: [thinks(n), { type: "tool_use" }] } };
    },
  };
}

async function play(model: Model): Promise<World> {
  const world = await createWorld({ 1: { model, threshold: THRESHOLD, modules: [core, notes] } });
  await world.say("1", "Go.");
  await world.idle();
  return world;
}

describe("thinking that is sent again", () => {
  it.each([
    ["readable", () => ({ type: "thinking", thinking: "thought ".repeat(250), signature: "c2ln" })],
    ["known by its signature", () => ({ type: "thinking", thinking: "", signature: "c2ln".repeat(667) })],
    ["hidden", () => ({ type: "redacted_thinking", data: "c2ln".repeat(667) })],
  ] as const)("counts as tokens of the prompt, and is summarised away: %s", async (_, thinks) => {
    const world = await play(thinker(thinks));
    const summaries = await world.kinds("1", "summary");
    expect(summaries.length).toBeGreaterThan(0);
    const inputs = (await world.kinds("1", "prompted")).map(({ reserved }) => reserved.input);
    expect(inputs[3]! - inputs[2]!).toBeGreaterThan(500);
    expect(Math.max(...inputs)).toBeLessThan(THRESHOLD * 1.2);
    const { view } = world.agent("1").memory;
    expect(view.items.filter(({ thinking }) => thinking > 0).length).toBeGreaterThan(0);
    expect(view.tokens).toBe(view.items.reduce((sum, { tokens }) => sum + tokens, 0));
  });

  it("is no more than what is sent: none of another model's, of a changed turn, or of a damaged log", () => {
    const content = [
      { type: "thinking", thinking: "thought ".repeat(100), signature: "c2ln" },
      { type: "text", length: 4 },
    ];
    const turn = { role: "assistant", text: "text", calls: [], model: NAME, provider: { content } } as const;
    expect(thinkingTokens(turn, NAME)).toBe(200);
    for (const other of [
      { ...turn, model: "anthropic/other" },
      { ...turn, model: undefined },
      { ...turn, text: "other text" },
      { ...turn, provider: { content: "thinking" } },
      { ...turn, provider: undefined },
      { role: "user", text: "text" } as const,
    ])
      expect(thinkingTokens(other, NAME)).toBe(0);
  });
});
