import { z } from "zod";
import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import type { Usage } from "../../../src/domain/event/event.ts";
import type { ModelRequest } from "../../../src/domain/model.ts";
import {
  createScriptedModel,
  type ScriptedAnswer,
  type ScriptedOptions,
} from "../../../src/model/scripted/scripted.ts";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import { SUMMARY_OPENING } from "../../../src/past/view.ts";
import { createWorldInMemory as createWorld, type World, type WorldAgent } from "../../world.ts";

/** Fills the view: each call leaves so many words behind. */
const filler = defineModule({
  name: "filler",
  actions: {
    fill: defineAction({
      description: "Leave some words",
      parameters: { word: z.string(), count: z.number() },
      effects: "none",
      execute: ({ word, count }) => ok(`${word} `.repeat(count)),
    }),
  },
});

const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };

function fill(word: string, count = 200): ScriptedAnswer {
  return { calls: [{ action: "fill", parameters: { word, count } }] };
}

function isSummaryRequest({ pinned }: ModelRequest): boolean {
  return pinned.startsWith("Write a summary");
}

/** Answers `answers` one by one to what is no request for a summary, and `summary` to what is one. */
function modelOf(answers: readonly ScriptedAnswer[], summary: ScriptedAnswer, profile: ScriptedOptions = {}) {
  let next = 0;
  return createScriptedModel(
    (request) => (isSummaryRequest(request) ? summary : (answers[next++] ?? NOOP)),
    profile,
  );
}

function filling(model: WorldAgent["model"], threshold: number): WorldAgent {
  return { model, threshold, modules: [core, filler] };
}

const TEN = Array.from({ length: 10 }, (_, n) => fill(`word${n}`));

async function play(world: World): Promise<void> {
  await world.say("1", "Go.");
  await world.idle();
}

function texts({ turns }: ModelRequest): string {
  return JSON.stringify(turns);
}

describe("compaction on the way", () => {
  it("puts a summary in place of the older part once introduction and view are past the threshold", async () => {
    const model = modelOf(TEN, "You filled some words.");
    const world = await createWorld({ 1: filling(model, 2_500) });
    await play(world);
    const summaries = await world.kinds("1", "summary");
    expect(summaries.length).toBeGreaterThan(0);
    expect(summaries[0]).toMatchObject({
      strategy: "legion",
      content: "You filled some words.",
      covers: [2, expect.any(Number)],
    });
    const last = model.requests.at(-1)!;
    expect(last.turns[0]).toEqual({ role: "user", text: `${SUMMARY_OPENING}\n\nYou filled some words.` });
    for (const request of model.requests.filter((request) => !isSummaryRequest(request))) {
      expect(texts(request).length / 4).toBeLessThan(2_800);
    }
  });

  it("asks with no more output than the model can give", async () => {
    const model = modelOf(TEN, "Short.", { maxOutput: 300 });
    await play(await createWorld({ 1: filling(model, 2_500) }));
    const asked = model.requests.find(isSummaryRequest);
    expect(asked?.maxOutput).toBe(300);
  });

  it("writes a digest where the summary would save nothing, and counts what it cost", async () => {
    const usage: Usage = { input: 7_000, output: 3_000 };
    const model = modelOf(TEN, { text: "blah ".repeat(20_000), usage });
    const world = await createWorld({ 1: filling(model, 2_500) });
    await play(world);
    const [summary] = await world.kinds("1", "summary");
    expect(summary?.content).toMatch(/^- event 2: /);
    expect(summary?.content).toContain("Use the recall action");
    expect(summary?.usage).toMatchObject(usage);
  });

  it("writes a digest where the model fails or cannot summarise", async () => {
    const failing = modelOf(TEN, { error: { code: "MODEL_REFUSED", message: "no" } });
    const unable = modelOf(TEN, "never", { summarises: false });
    const world = await createWorld({ 1: filling(failing, 2_500), 2: filling(unable, 2_500) });
    await world.say("all", "Go.");
    await world.idle();
    for (const id of ["1", "2"]) {
      const [summary] = await world.kinds(id, "summary");
      expect(summary?.content).toMatch(/^- event 2: .*\n- event /);
    }
    expect(unable.requests.some(isSummaryRequest)).toBe(false);
    expect(world.agent("1").standing.state).toBe("idle");
  });

  it("charges the reserved input of a call for a summary that never came", async () => {
    const model = modelOf(TEN, { error: { code: "MODEL_REFUSED", message: "no" } });
    const world = await createWorld({ 1: filling(model, 2_500) });
    await play(world);
    const prompted = await world.kinds("1", "prompted");
    const decisions = await world.kinds("1", "decision");
    const failed = prompted.filter((event) => event.pinned?.startsWith("Write a summary"));
    expect(failed.length).toBeGreaterThan(0);
    const { spent } = world.agent("1").memory.ledger;
    const answered = decisions.reduce((sum, { usage }) => sum + usage.input, 0);
    expect(spent.usage.input).toBe(answered + failed.reduce((sum, { reserved }) => sum + reserved.input, 0));
    expect(spent.steps).toBe(prompted.length);
  });

  it("shortens the first view after a start", async () => {
    const world = await createWorld({ 1: filling(modelOf(TEN, ""), 100_000) });
    await play(world);
    expect(await world.kinds("1", "summary")).toEqual([]);
    const model = modelOf([NOOP], "You filled some words.");
    const again = await world.restart({ 1: filling(model, 1_000) });
    await again.say("1", "More.");
    await again.idle();
    expect(isSummaryRequest(model.requests[0]!)).toBe(true);
    expect(texts(model.requests[1]!)).toContain(SUMMARY_OPENING);
    expect(texts(model.requests[1]!)).toContain("More.");
  });
});

describe("a prompt that the provider finds too long", () => {
  const overflow: ScriptedAnswer = { error: { code: "CONTEXT_OVERFLOW", message: "prompt is too long" } };

  it("is compacted and sent once more", async () => {
    const model = modelOf([...TEN.slice(0, 4), overflow, NOOP], "You filled some words.");
    const world = await createWorld({ 1: filling(model, 100_000) });
    await play(world);
    expect(await world.kinds("1", "summary")).toHaveLength(1);
    expect(world.agent("1").standing.state).toBe("idle");
    const prompted = await world.kinds("1", "prompted");
    expect(world.agent("1").memory.ledger.spent.steps).toBe(prompted.length);
  });

  it("parks the agent with the provider's words when it is too long again", async () => {
    const model = modelOf([...TEN.slice(0, 4), overflow, overflow], "You filled some words.");
    const world = await createWorld({ 1: filling(model, 100_000) });
    await play(world);
    expect(world.agent("1").standing).toMatchObject({ state: "parked", reason: "prompt is too long" });
    expect(await world.kinds("1", "summary")).toHaveLength(1);
  });

  it("charges the refused prompt, also when a digest stands in for the summary", async () => {
    const model = modelOf([...TEN.slice(0, 4), overflow, NOOP], "", { summarises: false });
    const world = await createWorld({ 1: filling(model, 100_000) });
    await play(world);
    const prompted = await world.kinds("1", "prompted");
    const decisions = await world.kinds("1", "decision");
    const refused = prompted[4]!.reserved.input;
    const { usage } = world.agent("1").memory.ledger.spent;
    expect(usage.input).toBe(decisions.reduce((sum, decision) => sum + decision.usage.input, 0) + refused);
  });
});

describe("counting tokens", () => {
  /** What the tokeniser was asked to count, text by text. */
  function counted(world: World): string[] {
    const { model } = world.agent("1");
    const texts: string[] = [];
    const { count } = model;
    model.count = (asked) => {
      texts.push(...asked);
      return count(asked);
    };
    return texts;
  }

  it("never happens far from the threshold (C16)", async () => {
    const world = await createWorld({ 1: filling(modelOf(TEN, ""), 100_000) });
    const texts = counted(world);
    await play(world);
    expect(texts).toEqual([]);
  });

  it("happens at most once per event near it, and never for the whole log (C16)", async () => {
    const sixty = Array.from({ length: 60 }, (_, n) => fill(`word${n}`, 20));
    const world = await createWorld({ 1: filling(modelOf(sixty, "You filled some words."), 1_500) });
    const texts = counted(world);
    await play(world);
    const events = await world.events("1");
    const summaries = events.filter(({ kind }) => kind === "summary").length;
    expect(summaries).toBeGreaterThan(1);
    expect(texts.length).toBeGreaterThan(0);
    expect(new Set(texts.filter((text) => /word\d/.test(text))).size).toBe(
      texts.filter((text) => /word\d/.test(text)).length,
    );
    // Mail, exchanges and summaries: one item each.
    expect(texts.length).toBeLessThanOrEqual(62 + summaries);
  });
});

describe("recall", () => {
  it("finds and reopens everything that was summarised, word for word", async () => {
    const searches = TEN.map((_, n) => ({
      calls: [{ action: "recall", parameters: { query: `word${n} word${n}` } }],
    }));
    const model = modelOf([...TEN, ...searches], "You filled some words.");
    const world = await createWorld({ 1: filling(model, 2_500) });
    await play(world);
    const results = await world.kinds("1", "result");
    const [summary] = await world.kinds("1", "summary");
    expect(summary!.covers[1]).toBeGreaterThan(4);
    for (let n = 0; n < 10; n++) {
      const filled = results[n]!;
      expect(results[10 + n]!.content).toContain(`- event ${filled.seq} (`);
      const { history } = world.agent("1").modules.host("core");
      expect(await history.open(filled.seq)).toMatchObject({ seq: filled.seq, text: filled.content });
    }
  });
});

describe("a view that no summary makes shorter", () => {
  it("is asked about once until it has grown, and what that cost is counted", async () => {
    const usage: Usage = { input: 10, output: 500 };
    const model = modelOf([fill("a", 1), fill("b", 1), fill("c", 1)], { text: "blah ".repeat(500), usage });
    const world = await createWorld({ 1: filling(model, 10) });
    await play(world);
    const asked = model.requests.filter(isSummaryRequest).length;
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(model.requests.length - asked);
    const { spent, open } = world.agent("1").memory.ledger;
    expect(open).toEqual([]);
    expect(spent.usage.output).toBeGreaterThanOrEqual(500 * asked);
    expect(world.agent("1").memory.view.items.every(({ turns }) => turns.length > 0)).toBe(true);
  });
});
