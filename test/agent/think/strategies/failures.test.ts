// Compactions of several summaries, of which some come to nothing.

import { z } from "zod";
import { describe, expect, it } from "vitest";
import { core } from "../../../../modules/core.ts";
import { defineAction, defineModule, ok } from "../../../../src/domain/authoring/module.ts";
import type { ModelRequest } from "../../../../src/domain/model.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../../src/model/scripted/scripted.ts";
import { describeDifference } from "../../../../src/legion/replay/difference.ts";
import { replay } from "../../../legion/replay/replays.ts";
import { byHand, createWorld, type World, type WorldAgent } from "../../../world.ts";

const filler = defineModule({
  name: "filler",
  actions: {
    fill: defineAction({
      description: "Leave some words",
      parameters: { word: z.string() },
      effects: "none",
      execute: ({ word }) => ok(`${word} `.repeat(700)),
    }),
  },
});

const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };

function isSummaryRequest({ pinned }: ModelRequest): boolean {
  return pinned.startsWith("Write a summary");
}

type Summarise = (nth: number) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** One step for each message, of about 700 tokens; `summarise` says what comes of its nth request for a summary. */
function agentWith(summarise: Summarise, more: WorldAgent = {}): WorldAgent & { asked(): number } {
  let summaries = 0;
  let steps = 0;
  const model = createScriptedModel((request) => {
    if (isSummaryRequest(request)) return summarise(++summaries);
    return steps++ % 2 === 0 ? { calls: [{ action: "fill", parameters: { word: `w${steps}` } }] } : NOOP;
  });
  return {
    model,
    strategy: "rounds",
    threshold: 3_000,
    modules: [core, filler],
    asked: () => summaries,
    ...more,
  };
}

async function play(world: World, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await world.say("1", `Do step ${round}.`);
    await world.idle();
  }
}

async function expectSame(world: World, agent: WorldAgent): Promise<void> {
  await world.stop();
  const { difference } = await replay(world.project, "1", agent);
  expect(difference && describeDifference(difference)).toBe(undefined);
}

const refused: ScriptedAnswer = { error: { code: "MODEL_REFUSED", message: "no" } };
const endless: ScriptedAnswer = "blah ".repeat(5_000);

describe("of several summaries in one compaction", () => {
  it("one that fails is a digest, and the others are made", async () => {
    const agent = agentWith((n) => (n === 2 ? refused : `Summary ${n}.`));
    const world = await createWorld({ 1: agent });
    await play(world, 8);
    const contents = (await world.kinds("1", "summary")).map(({ content }) => content);
    expect(contents[0]).toBe("Summary 1.");
    expect(contents[1]).toMatch(/^- event \d+-\d+: fill .*recall action/s);
    expect(contents[2]).toBe("Summary 3.");
    await expectSame(
      world,
      agentWith(() => "never"),
    );
  });

  it("each is charged, and noted before it is asked for", async () => {
    const usage = { input: 1_000, output: 100 };
    const agent = agentWith((n) => ({ text: `Summary ${n}.`, usage }));
    const world = await createWorld({ 1: agent });
    await play(world, 8);
    const prompted = await world.kinds("1", "prompted");
    const summaries = await world.kinds("1", "summary");
    expect(summaries.length).toBe(agent.asked());
    expect(summaries.length).toBeGreaterThan(2);
    const { spent, open } = world.agent("1").memory.ledger;
    expect(open).toEqual([]);
    expect(spent.steps).toBe(prompted.length);
    const decided = (await world.kinds("1", "decision")).reduce((sum, one) => sum + one.usage.input, 0);
    expect(spent.usage.input).toBe(decided + 1_000 * summaries.length);
  });

  it("a limit that one of them reaches makes digests of the rest, and keeps the last call for a decision", async () => {
    const free = await createWorld({ 1: agentWith((n) => `Summary ${n}.`) });
    await play(free, 8);
    const kinds = (await free.events("1")).map(({ kind }) => kind);
    const decisions = kinds.slice(0, kinds.indexOf("summary")).filter((kind) => kind === "decision").length;
    // Room for two summaries of four, and for one decision.
    const steps = decisions + 3;
    const world = await createWorld({ 1: agentWith((n) => `Summary ${n}.`, { limits: { steps } }) });
    await play(world, 8);
    const contents = (await world.kinds("1", "summary")).map(({ content }) => content);
    expect(contents.slice(0, 2)).toEqual(["Summary 1.", "Summary 2."]);
    expect(contents[2]).toMatch(/^- event /);
    expect(world.agent("1").memory.ledger.spent.steps).toBe(steps);
    expect(world.agent("1").standing.state).toBe("parked");
  });

  it("none is kept that is no shorter than what it stands for, nor asked for at every decision", async () => {
    const short = defineModule({
      name: "filler",
      actions: {
        fill: defineAction({
          description: "Leave nothing",
          parameters: { word: z.string() },
          effects: "none",
          execute: () => ok("ok"),
        }),
      },
    });
    const agent = agentWith(() => endless, { modules: [core, short], threshold: 1_200 });
    const world = await createWorld({ 1: agent });
    await play(world, 40);
    const decisions = await world.kinds("1", "decision");
    expect(agent.asked()).toBeGreaterThan(0);
    expect(agent.asked()).toBeLessThan(decisions.length / 4);
    for (const { covers, tokens } of await world.kinds("1", "summary"))
      if (covers[1] === 0) expect(tokens!.after).toBe(tokens!.before);
    await expectSame(
      world,
      agentWith(() => "never", { modules: [core, short], threshold: 1_200 }),
    );
  });

  it("an abort stops the one that is being made, and leaves those that were", async () => {
    const asked = byHand();
    const agent = agentWith((n) => {
      if (n !== 2) return `Summary ${n}.`;
      asked.resolve();
      return new Promise<ScriptedAnswer>(() => undefined);
    });
    const world = await createWorld({ 1: agent });
    const playing = play(world, 8);
    await asked.promise;
    await world.legion.control.say(["1"], "Stop.", "abort");
    await playing;
    const summaries = await world.kinds("1", "summary");
    expect(summaries[0]?.content).toBe("Summary 1.");
    expect(summaries[1]?.content).toBe("Summary 3.");
    expect(world.agent("1").standing.state).toBe("idle");
    await expectSame(
      world,
      agentWith(() => "never"),
    );
  });
});

describe.each(["rounds", "recent"] as const)(
  "a prompt that the provider finds too long, by %s",
  (strategy) => {
    const overflow: ScriptedAnswer = { error: { code: "CONTEXT_OVERFLOW", message: "prompt is too long" } };

    it("is compacted and sent once more", async () => {
      let n = 0;
      const script = (request: ModelRequest): ScriptedAnswer => {
        if (isSummaryRequest(request)) return "You filled some words.";
        n++;
        if (n === 8) return overflow;
        return n < 8 ? { calls: [{ action: "fill", parameters: { word: `w${n}` } }] } : NOOP;
      };
      const world = await createWorld({ 1: { script, strategy, modules: [core, filler] } });
      await world.say("1", "Go.");
      await world.idle();
      expect(await world.kinds("1", "summary")).toHaveLength(1);
      expect(world.agent("1").standing.state).toBe("idle");
      expect(n).toBe(9);
    });
  },
);
