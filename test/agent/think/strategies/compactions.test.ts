// One task with five compactions and more under each strategy, as the runtime makes them.

import { z } from "zod";
import { describe, expect, it } from "vitest";
import { core } from "../../../../modules/core.ts";
import { defineAction, defineModule, ok } from "../../../../src/domain/authoring/module.ts";
import type { StrategyName } from "../../../../src/domain/memory-settings.ts";
import type { ModelRequest } from "../../../../src/domain/model.ts";
import { createAnthropicHistory } from "../../../../src/model/anthropic/history.ts";
import { createOpenAiHistory } from "../../../../src/model/openai/history.ts";
import {
  createScriptedModel,
  type ScriptedAnswer,
  type ScriptedModel,
} from "../../../../src/model/scripted/scripted.ts";
import { describeDifference } from "../../../../src/legion/replay/difference.ts";
import { thresholdOf } from "../../../../src/agent/think/summarise.ts";
import { replay } from "../../../legion/replay/replays.ts";
import { createWorld, type World, type WorldAgent } from "../../../world.ts";

const STRATEGIES = ["legion", "rounds", "recent"] as const;
const THRESHOLD = 3_000;
const TASK = "Build the house, and paint its door blue.";

const filler = defineModule({
  name: "filler",
  actions: {
    fill: defineAction({
      description: "Leave some words",
      parameters: { word: z.string() },
      effects: "none",
      execute: ({ word }) => ok(`${word} `.repeat(120)),
    }),
  },
});

function isSummaryRequest({ pinned }: ModelRequest): boolean {
  return pinned.startsWith("Write a summary");
}

function promptsOf({ requests }: ScriptedModel): readonly ModelRequest[] {
  return requests.filter((request) => !isSummaryRequest(request));
}

/** Works in rounds of steps of two calls, the last of each a plain answer; a summary keeps the task if it is told of it. */
function worker(steps = 10): ScriptedModel {
  let n = 0;
  return createScriptedModel((request): ScriptedAnswer => {
    const shown = JSON.stringify(request.turns);
    if (isSummaryRequest(request)) return `You worked. ${shown.includes(TASK) ? TASK : ""}`;
    if (++n % steps === 0) return `Round ${n / steps} is done.`;
    return {
      text: `step ${n}`,
      calls: ["left", "right"].map((side) => ({ action: "fill", parameters: { word: `${side}${n}` } })),
    };
  });
}

function working(strategy: StrategyName, model = worker()): WorldAgent & { readonly model: ScriptedModel } {
  return { model, strategy, threshold: THRESHOLD, modules: [core, filler] };
}

async function play(world: World, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await world.say("1", round === 0 ? TASK : `Go on, the ${round}th time.`);
    await world.idle();
  }
}

/** Ids of calls and of results, in their order, as providers are sent them. */
function pairsIn(json: string): { readonly calls: readonly string[]; readonly results: readonly string[] } {
  const find = (pattern: RegExp): string[] => [...json.matchAll(pattern)].map(([, id]) => id!);
  return { calls: find(/"type":"tool_use","id":"([^"]+)"/g), results: find(/"tool_use_id":"([^"]+)"/g) };
}

interface OpenAiMessage {
  readonly role: string;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

/** Each call has its result right behind it, in both forms that providers know. */
function expectPaired(request: ModelRequest): void {
  const anthropic = pairsIn(createAnthropicHistory("anthropic/x", "keep")(request));
  expect(anthropic.results).toEqual(anthropic.calls);
  const openAi = JSON.parse(createOpenAiHistory("alternate")(request)) as readonly OpenAiMessage[];
  openAi.forEach((message, at) => {
    const ids = (message.tool_calls ?? []).map(({ id }) => id);
    const behind = openAi.slice(at + 1, at + 1 + ids.length).map(({ tool_call_id: id }) => id);
    expect(behind).toEqual(ids);
  });
  expect(openAi.filter(({ role }) => role === "tool")).toHaveLength(anthropic.calls.length);
}

describe.each(STRATEGIES)("one task with five compactions by %s", (strategy) => {
  it("knows its first instruction, pairs every call, stays within its threshold and replays identically", async () => {
    const agent = working(strategy);
    const world = await createWorld({ 1: agent });
    await play(world, 6);
    await world.stop();
    const summaries = await world.kinds("1", "summary");
    expect(summaries.length).toBeGreaterThanOrEqual(5);
    expect(summaries.every(({ covers, strategy: by }) => covers[1] > 0 && by === strategy)).toBe(true);
    for (const { tokens } of summaries) expect(tokens!.after).toBeLessThan(tokens!.before);
    for (const request of promptsOf(agent.model)) {
      expect(JSON.stringify(request.turns)).toContain(TASK);
      expectPaired(request);
    }
    const prompted = await world.kinds("1", "prompted");
    for (const { reserved } of prompted) expect(reserved.input).toBeLessThan(THRESHOLD * 1.3);
    const replayed = await replay(world.project, "1", working(strategy));
    expect(replayed.difference && describeDifference(replayed.difference)).toBe(undefined);
    expect(replayed.decisions).toBe(60);
  });

  it("covers what lies side by side, parts nothing, and takes no mail that no decision has seen", async () => {
    const agent = working(strategy);
    const world = await createWorld({ 1: agent });
    await play(world, 6);
    const events = await world.events("1");
    const covered: (readonly [number, number])[] = [];
    for (const { kind, seq, ...event } of events) {
      if (kind !== "summary" || !("covers" in event)) continue;
      const [from, to] = event.covers;
      const decided = events.findLastIndex((one) => one.kind === "decision" && one.seq < seq);
      expect(to).toBeLessThan(seq);
      for (const mail of events.slice(decided + 1))
        if (mail.kind === "message") expect(to).toBeLessThan(mail.seq);
      for (const [first, last] of covered)
        expect(to < first || from > last || (from <= first && to >= last)).toBe(true);
      covered.push([from, to]);
    }
    expect(covered.length).toBeGreaterThanOrEqual(5);
  });

  it("goes on where the process died behind the first summary of a compaction, and replays identically", async () => {
    const agent = working(strategy, worker(3));
    const world = await createWorld({ 1: agent });
    const died = new Promise<void>((resolve) => {
      world.legion.inspector.watch((seen) => {
        if (seen.kind !== "event" || seen.event.kind !== "summary") return;
        world.legion.interrupt();
        resolve();
      });
    });
    void play(world, 9).catch(() => undefined);
    await died;
    await world.stop().catch(() => undefined);
    const before = await world.kinds("1", "summary");
    expect(before).toHaveLength(1);
    const again = await world.restart();
    await again.idle();
    await play(again, 12);
    await again.stop();
    const after = await again.kinds("1", "summary");
    expect(after.slice(0, 1)).toEqual(before);
    expect(after.length).toBeGreaterThan(2);
    for (const request of promptsOf(agent.model)) {
      expect(JSON.stringify(request.turns)).toContain(TASK);
      expectPaired(request);
    }
    const replayed = await replay(world.project, "1", working(strategy, worker(3)));
    expect(replayed.difference && describeDifference(replayed.difference)).toBe(undefined);
  });
});

describe("rounds that are many", () => {
  it("become a summary each in one compaction, and then one that quotes them all", async () => {
    const agent = working("rounds", worker(3));
    const world = await createWorld({ 1: agent });
    await play(world, 80);
    const summaries = await world.kinds("1", "summary");
    const rows = summaries.filter(
      (summary, at) => at > 0 && summary.tokens!.before === summaries[at - 1]!.tokens!.after,
    );
    expect(rows.length).toBeGreaterThan(0);
    const { turns } = promptsOf(agent.model).at(-1)!;
    const [opening] = turns;
    const text = opening?.role === "user" ? opening.text : "";
    expect(text).toMatch(/^\[Assistant Execution Summary\]\n\nYou worked\./);
    expect(text).toContain(`- event 2: ${TASK}\n`);
    const shown = JSON.stringify(turns);
    for (let round = 1; round < 80; round++) expect(shown).toContain(`Go on, the ${round}th time.`);
    const { stays } = summaries.at(-1)!;
    expect(stays!.summaries).toBeGreaterThan(0);
    expect(stays!.decisions).toBeGreaterThan(0);
  });
});

describe("the size at which a view is compacted", () => {
  it.each([
    ["legion", 0.75, 1_000_000, 750_000],
    ["rounds", 0.75, 1_000_000, 80_000],
    ["recent", 0.75, 1_000_000, 100_000],
    ["rounds", 0.75, 32_000, 24_000],
    ["recent", 0.5, 32_000, 16_000],
    ["rounds", 200_000, 1_000_000, 200_000],
    ["recent", 2_000, 1_000_000, 2_000],
  ] as const)(
    "of %s with a threshold of %d in a window of %d tokens: %d",
    (strategy, threshold, window, size) => {
      const settings = { strategy, threshold, pin: "newest" } as const;
      const profile = { window, maxOutput: 1, tools: true, summarises: true };
      expect(thresholdOf({ settings, model: { profile } })).toBe(size);
    },
  );
});
