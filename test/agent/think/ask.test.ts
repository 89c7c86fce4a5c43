import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { goals } from "../../../modules/goals.ts";
import { notes } from "../../../modules/notes.ts";
import type { ModelRequest } from "../../../src/domain/model.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { createWorldInMemory as createWorld } from "../../world.ts";

const ADD: ScriptedAnswer = { calls: [{ action: "addGoal", parameters: { goal: "buy milk" } }] };
const NOTE: ScriptedAnswer = {
  calls: [{ action: "writeNote", parameters: { title: "shop", content: "closes at 8" } }],
};

async function prompts(
  options: { readonly protocol: "text" | "tools"; readonly pin?: "newest" | "top" },
  ...answers: ScriptedAnswer[]
) {
  const model = createScriptedModel(answers);
  const world = await createWorld({ 1: { model, modules: [core, goals, notes], ...options } });
  await world.say("1", "Please buy milk.");
  await world.idle();
  return model.requests;
}

/** Ids of native calls are random in these tests. */
function shown({ system, turns, pinned, tools }: ModelRequest): object {
  const json = JSON.stringify({ system, turns, pinned, tools: tools.map(({ name }) => name) });
  return JSON.parse(json.replace(/call_[0-9a-f-]{36}/g, "call_id")) as object;
}

describe("a whole prompt", () => {
  it("for an agent that writes its actions as text", async () => {
    const requests = await prompts(
      { protocol: "text" },
      "addGoal\nthoughts: I was asked to.\ngoal: buy milk",
      "fly",
      "noop",
    );
    expect(shown(requests[2]!)).toMatchSnapshot();
  });

  it("for an agent that calls tools", async () => {
    const requests = await prompts({ protocol: "tools" }, ADD, NOTE);
    expect(shown(requests[2]!)).toMatchSnapshot();
  });

  it("opens with who the agent is, and says `above` nowhere", async () => {
    for (const protocol of ["text", "tools"] as const) {
      const [request] = await prompts({ protocol }, protocol === "text" ? "noop" : ADD);
      expect(request!.system).toMatch(/^--- CORE ---\n\nYou are Agent 1 \(agent id 1\)\.\n/);
      expect(request!.system.match(/agent id/g)).toHaveLength(1);
      expect(JSON.stringify(request)).not.toMatch(/\babove\b/i);
    }
  });
});

describe("pinned messages", () => {
  it("close the prompt by default, and never lie inside a stored event", async () => {
    const [, second] = await prompts({ protocol: "tools" }, ADD, NOTE);
    expect(second!.pinned).toContain("buy milk");
    expect(second!.system).not.toContain("buy milk");
    expect(second!.turns.filter((turn) => turn.role === "user")).toHaveLength(1);
  });

  it("stand at the top where somebody wants that", async () => {
    const [, second] = await prompts({ protocol: "tools", pin: "top" }, ADD, NOTE);
    expect(second!.pinned).toBe("");
    expect(second!.system).toMatch(/^--- CORE ---.*--- GOALS ---.*buy milk/s);
  });

  it("leave at least 90 % of each prompt a byte-identical prefix of the one before, in 200 steps that change goals and notes", async () => {
    const step = (n: number): ScriptedAnswer => {
      if (n % 4 === 0) return { calls: [{ action: "addGoal", parameters: { goal: `goal number ${n}` } }] };
      if (n % 4 === 1)
        return { calls: [{ action: "writeNote", parameters: { title: `note ${n}`, content: `fact ${n}` } }] };
      if (n % 4 === 2)
        return { calls: [{ action: "completeGoal", parameters: { goalNumber: 1 + Math.floor(n / 4) } }] };
      return { calls: [{ action: "deleteNote", parameters: { title: `note ${n - 2}` } }] };
    };
    const model = createScriptedModel((_, n) => (n < 200 ? step(n) : { calls: [{ action: "noop" }] }));
    const world = await createWorld({ 1: { model } });
    await world.say("1", "Keep busy.");
    await world.idle();
    expect(model.requests).toHaveLength(201);
    const shares = model.requests.slice(1).map((request, index) => {
      const now = flat(request);
      return commonPrefix(flat(model.requests[index]!), now) / now.length;
    });
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.9);
  });
});

/** The request in the order in which a provider reads it. */
function flat({ tools, system, turns, pinned }: ModelRequest): string {
  return [JSON.stringify(tools), system, ...turns.map((turn) => JSON.stringify(turn)), pinned].join("\n");
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
