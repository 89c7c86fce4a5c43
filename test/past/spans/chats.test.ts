import { describe, expect, it } from "vitest";
import { decision, mail, opened, prompted, result, shortly, tell } from "./story.ts";

const task = [opened(), mail("0>1#1"), prompted(), decision(["a", "b"])];
const done = [prompted(), decision([])];

describe("every attempt to ask a model", () => {
  it("is told: what was refused, what nobody answered, what could not be read", () => {
    const refused = { kind: "refused", prompted: 3, status: 429 } as const;
    const log = [
      ...[opened(), mail("0>1#1"), prompted(), refused, prompted(70), prompted()],
      ...[decision([], { stop: "unparsed" }), result(null, "error"), prompted()],
      {
        kind: "summary",
        covers: [1, 2],
        content: "",
        strategy: "legion",
        usage: { input: 5, output: 6, cacheRead: 3, cost: 0.5 },
      } as const,
      ...done,
    ];
    const { spans } = tell({ 1: log })[1];
    expect(shortly(spans)).toEqual([
      ...["chat m-1 3-4 429", "chat m-1 5-6 no_answer", "chat m-1 6-7 unparsed", "chat m-1 9-10"],
      ...["chat m-1 11-12", "invoke_agent Agent 1 2-12"],
    ]);
    expect(spans[0]?.attributes).not.toHaveProperty(["gen_ai.usage.input_tokens"]);
    expect(spans[1]?.attributes).toMatchObject({
      "gen_ai.usage.input_tokens": 70,
      "ai_legion.usage.reserved": true,
    });
    expect(spans[3]?.attributes).toMatchObject({
      "gen_ai.usage.cache_read.input_tokens": 3,
      "ai_legion.usage.cost": 0.5,
    });
  });

  it("is below the action that made it, with what the action used where it asked just once", () => {
    const usage = { input: 11, output: 2 };
    const log = [
      ...task,
      prompted(20, "a"),
      result("a", "ok", { usage }),
      prompted(1, "b"),
      prompted(2, "b"),
      result("b", "ok", { usage }),
      ...done,
    ];
    const { spans } = tell({ 1: log })[1];
    const [, inner, tool, one, two, other] = spans;
    expect(inner).toMatchObject({ parent: tool?.id, attributes: { "gen_ai.usage.input_tokens": 11 } });
    expect([one?.parent, two?.parent]).toEqual([other?.id, other?.id]);
    expect([one, two].map((span) => span?.attributes["gen_ai.usage.input_tokens"])).toEqual([1, 2]);
    expect(other?.attributes["ai_legion.usage.input_tokens"]).toBe(11);
    expect(spans.every(({ error }) => error === undefined)).toBe(true);
  });

  it("by nobody is none: what a person typed, what rules say", () => {
    const log = [
      opened(),
      mail("0>1#1"),
      decision(["a"], { model: "human" }),
      result("a"),
      decision([], { model: "rules" }),
    ];
    expect(shortly(tell({ 1: log })[1].spans)).toEqual(["execute_tool do-a 3-4", "invoke_agent Agent 1 2-5"]);
  });
});
