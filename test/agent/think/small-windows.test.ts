// Models with small windows, such as local servers give: what is pinned takes its share and no more, and summaries are paid
// for only where they make room.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { core } from "../../../modules/core.ts";
import {
  createScriptedModel,
  type ScriptedAnswer,
  type ScriptedModel,
} from "../../../src/model/scripted/scripted.ts";
import type { ModelRequest } from "../../../src/domain/model.ts";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import { estimateTokens } from "../../../src/model/tokens/tokens.ts";
import { createWorldInMemory as createWorld, type World, type WorldAgent } from "../../world.ts";

const GOALS = 100;
const CROWDED = "no summary of older events can bring it below";
const act = (action: string, parameters: object = {}): ScriptedAnswer => ({
  calls: [{ action, parameters: { ...parameters } }],
});
const isSummaryRequest = ({ pinned }: ModelRequest): boolean => pinned.startsWith("Write a summary");
const addGoals = (first: number): ScriptedAnswer => ({
  calls: Array.from({ length: 10 }, (_, n) => ({
    action: "addGoal",
    parameters: { goal: `Reach goal ${first + n}: `.padEnd(150, "what has to be reached, ") },
  })),
});

/** Adds a hundred goals, then works on; its summaries have so many words, or as many as they may. */
function modelOf(window: number, words: number | "allowed", decisions = 600): ScriptedModel {
  let n = 0;
  const summary = ({ pinned }: ModelRequest): string => {
    const limit = Number(/in (\d+) words or less/.exec(pinned)![1]);
    return "word ".repeat(words === "allowed" ? limit : words);
  };
  const script = (request: ModelRequest): ScriptedAnswer => {
    if (isSummaryRequest(request)) return summary(request);
    if (n++ < GOALS / 10) return addGoals(n * 10);
    if (n > decisions) return act("noop");
    return act("writeNote", { title: `n${n % 7}`, content: `found ${n} `.repeat(20) });
  };
  return createScriptedModel(script, { window });
}

async function work(model: ScriptedModel, agent: WorldAgent = {}): Promise<World> {
  const world = await createWorld({ 1: { ...agent, model, threshold: 0.75 } });
  await world.say("1", "Go.");
  await world.idle();
  return world;
}

describe("with a hundred pending goals", () => {
  it.each([
    // Each with how many decisions there are at least for every summary.
    [4_000, "allowed", 5],
    [4_000, 30, 5],
    [8_000, "allowed", 10],
    [8_000, 30, 15],
    [8_000, 800, 10],
    [16_000, "allowed", 30],
  ] as const)(
    "a window of %i tokens and summaries of %s words: few summaries are paid for",
    async (window, words, decisionsEach) => {
      const model = modelOf(window, words);
      const world = await work(model);
      const decisions = (await world.kinds("1", "decision")).length;
      expect(decisions).toBe(600 + 1);
      const summaries = await world.kinds("1", "summary");
      expect(summaries.length).toBeGreaterThan(0);
      expect(summaries.length).toBeLessThan(decisions / decisionsEach);
      expect(summaries.every(({ covers }) => covers[1] > 0)).toBe(true);
      for (const request of model.requests)
        if (!isSummaryRequest(request))
          expect(estimateTokens(request.pinned)).toBeLessThanOrEqual(window / 4);
      const { pinned } = model.requests.at(-1)!;
      const shown = pinned.split("\n").filter((line) => line.endsWith("[PENDING]")).length;
      expect(pinned).toContain(
        `... and ${GOALS - shown} more: numbers ${shown + 1} to 100, shown as you complete these.`,
      );
    },
    60_000,
  );

  it("the prompt and its completion stay within the window", async () => {
    for (const window of [4_000, 8_000]) {
      const model = modelOf(window, "allowed", 300);
      const world = await work(model);
      for (const { reserved } of await world.kinds("1", "prompted"))
        expect(reserved.input + reserved.output).toBeLessThan(window * 1.05);
      expect(model.requests.some(({ pinned }) => pinned.includes(CROWDED))).toBe(false);
    }
  });
});

describe("a prompt that no summary can bring below its threshold", () => {
  /** Instructions that nothing cuts, and steps of about fifty tokens each. */
  const manual = (tokens: number) =>
    defineModule({
      name: "manual",
      instructions: () => "Do so. ".repeat((tokens * 4) / 7),
      pinnedMessage: ({ state }) => (state.get("wiped") ? "Empty." : "Chalk. ".repeat(1_000)),
      actions: {
        step: defineAction({
          description: "Take a step",
          parameters: { n: z.number() },
          effects: "none",
          execute: ({ n }) => ok(`Step ${n} `.repeat(20)),
        }),
        wipe: defineAction({
          description: "Wipe the board",
          effects: "none",
          execute(_, { state }) {
            state.set("wiped", true);
            return ok("Empty.");
          },
        }),
      },
    });
  const steps = (decisions: number, wipeAt = Infinity) => {
    let n = 0;
    return createScriptedModel(
      (request) => {
        if (isSummaryRequest(request)) return "You took steps. ".repeat(20);
        if (++n === wipeAt) return act("wipe");
        return act(...((n <= decisions ? ["step", { n }] : ["noop"]) as [string, object]));
      },
      { window: 8_000 },
    );
  };
  const isTold = ({ pinned }: ModelRequest): boolean => pinned.includes(CROWDED);

  it("is not summarised again before much has changed, and the agent is told why", async () => {
    const model = steps(400);
    const world = await work(model, { modules: [core, manual(4_000)] });
    const decisions = await world.kinds("1", "decision");
    expect(decisions).toHaveLength(401);
    const summaries = await world.kinds("1", "summary");
    expect(summaries.length).toBeLessThan(decisions.length / 20);
    const asked = model.requests.filter((request) => !isSummaryRequest(request));
    expect(asked.filter(isTold).length).toBeGreaterThan(390);
    expect(model.requests.filter(isSummaryRequest).some(isTold)).toBe(false);
  });

  it("is summarised when what is pinned has become shorter, and the agent is told no more", async () => {
    const model = steps(60, 20);
    await work(model, { modules: [core, manual(3_800)] });
    const last = (holds: (request: ModelRequest) => boolean) => model.requests.findLastIndex(holds);
    const wiped = model.requests.findIndex(({ pinned }) => pinned.includes("Empty."));
    expect(model.requests.slice(0, wiped).some(isTold)).toBe(true);
    expect(last(isTold)).toBeLessThan(wiped);
    expect(last(isSummaryRequest)).toBeGreaterThan(wiped);
  });

  it("leaves its completion no more room than the window has", async () => {
    const model = steps(100);
    const world = await work(model, { modules: [core, manual(2_800)] });
    const reserved = (await world.kinds("1", "prompted")).map((prompted) => prompted.reserved);
    expect(reserved.some(({ output }) => output < 2_000)).toBe(true);
    for (const { input, output } of reserved) expect(input + output).toBeLessThanOrEqual(8_000);
  });
});
