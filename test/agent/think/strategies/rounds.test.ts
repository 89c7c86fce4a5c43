import { describe, expect, it } from "vitest";
import { planRounds } from "../../../../src/agent/think/strategies/rounds.ts";
import type { CompactionPlan } from "../../../../src/agent/think/compaction.ts";
import type { View } from "../../../../src/past/view.ts";
import { kinds, summarise, viewOf } from "./views.ts";

function plansOf(view: View, threshold = 6_000, notKept = 0): readonly CompactionPlan[] {
  return planRounds({ view, introduction: 0, threshold, room: threshold, notKept, tried: new Set() });
}

function covered(view: View, threshold?: number): readonly (readonly [number, number])[] {
  return plansOf(view, threshold).map(({ covers }) => covers);
}

/** Summarises as the runtime does, until there is nothing left to do. */
function compact(view: View, threshold = 6_000, tried = new Set<string>()): readonly CompactionPlan[] {
  const plans: CompactionPlan[] = [];
  for (;;) {
    const [plan] = planRounds({ view, introduction: 0, threshold, room: threshold, notKept: 0, tried });
    if (!plan) return plans;
    plans.push(plan);
    tried.add(plan.covers.join("-"));
    summarise(view, plan.covers, "rounds");
  }
}

const SMALL = { m: 10, p: 10, n: 10 };

describe("the rounds strategy", () => {
  it("makes one summary of each range between two messages, and leaves the messages", () => {
    // Events: 1 m, 2-7 eee, 8 m, 9-14 eee, 15 m, 16-21 eee.
    const view = viewOf("meeemeeemeee", { ...SMALL, e: 400 });
    expect(covered(view)).toEqual([
      [2, 7],
      [9, 14],
      [16, 19],
    ]);
    compact(view);
    expect(kinds(view)).toBe("msmsmse");
    expect(view.turns[0]).toEqual({ role: "user", text: "--- MESSAGE FROM CONTROL ---\n\ninstruction 0" });
    expect(view.turns[1]).toEqual({ role: "user", text: "[Assistant Execution Summary]\n\nshort" });
  });

  it("leaves the newest exchange of the last range, and all mail behind it", () => {
    expect(covered(viewOf("mee", { ...SMALL, e: 900 }))).toEqual([[2, 3]]);
    expect(covered(viewOf("meemmm", { ...SMALL, e: 900 }))).toEqual([[2, 3]]);
    expect(covered(viewOf("me", { ...SMALL, e: 90_000 }))).toEqual([]);
    expect(covered(viewOf("m"))).toEqual([]);
    expect(covered(viewOf(""))).toEqual([]);
  });

  it("takes messages that came together as one", () => {
    expect(covered(viewOf("mpmeee", { ...SMALL, e: 900 }))).toEqual([[4, 7]]);
  });

  it("folds an earlier summary of the range in, once there is something new to fold in", () => {
    const view = viewOf("meeee", { ...SMALL, e: 900 });
    summarise(view, [2, 5], "rounds");
    expect(kinds(view)).toBe("msee");
    const [plan] = plansOf(view);
    expect(plan?.covers).toEqual([2, 7]);
    summarise(view, [2, 7], "rounds");
    expect(kinds(view)).toBe("mse");
    expect(plansOf(view)).toEqual([]);
  });

  it("folds in what another strategy made", () => {
    const view = viewOf("meeemeee", { ...SMALL, e: 900 });
    summarise(view, [1, 5], "legion");
    compact(view);
    expect(kinds(view)).toBe("smse");
  });

  it("asks for no summary of what is hardly longer than one", () => {
    expect(plansOf(viewOf("memememe", { ...SMALL, e: 400 }))).toEqual([]);
    expect(plansOf(viewOf("mememee", { ...SMALL, e: 700 }), 6_000, 700)).toEqual([]);
  });

  it("limits a summary to 1,000 words, and to a sixth of a small threshold", () => {
    const view = viewOf("meee", { ...SMALL, e: 30_000 });
    expect(plansOf(view, 80_000)[0]?.wordLimit).toBe(1_000);
    expect(plansOf(view, 3_000)[0]?.wordLimit).toBe(500);
  });
});

describe("where messages and summaries alone exceed half of the threshold", () => {
  it("the oldest ranges become one summary, until the rest takes a quarter", () => {
    const view = viewOf("mamamamamamama", { m: 500, a: 10 });
    const [plan, ...others] = plansOf(view);
    expect(others).toEqual([]);
    // Six rounds of 510 tokens stand before the newest one: 3,560 are too many, 1,010 with that one's message are not.
    expect(plan?.covers).toEqual([1, 10]);
    summarise(view, plan!.covers, "rounds", "You answered.");
    expect(kinds(view)).toBe("smeme");
  });

  it("it quotes what Control said by its numbers, and nothing of what others said", () => {
    const view = viewOf("mapamamamama", { m: 700, p: 700, a: 10 });
    compact(view);
    const [turn] = view.turns;
    expect(turn).toEqual({
      role: "user",
      text: [
        "[Assistant Execution Summary]\n\nshort\n",
        "What Control said in this part, quoted (`recall` reopens a message by its event number):",
        "- event 1: instruction 0",
        "- event 5: instruction 4",
        "- event 7: instruction 6",
      ].join("\n"),
    });
  });

  it("the quotes of an earlier one go on into the next", () => {
    const view = viewOf("mamamamamamamamama", { m: 700, a: 10 });
    compact(view, 12_000);
    compact(view, 3_000);
    expect(kinds(view)).toBe("sme");
    const text = JSON.stringify(view.turns[0]);
    for (const seq of [1, 3, 5, 7, 9, 11, 13, 15]) expect(text).toContain(`- event ${seq}: instruction`);
    expect(text).not.toContain("event 17");
  });

  it("so do they where an introduction leaves less than half of it, and where a provider finds less too long", () => {
    const shape = "mamamamama";
    const plan = (introduction: number, room: number) => {
      const view = viewOf(shape, { m: 500, a: 10 });
      return planRounds({ view, introduction, threshold: 6_000, room, notKept: 0, tried: new Set() })[0]
        ?.covers;
    };
    expect(plan(0, 6_000)).toBeUndefined();
    expect(plan(4_000, 6_000)).toEqual([1, 8]);
    expect(plan(2_000, 4_550)).toEqual([1, 6]);
  });

  it("the messages of the newest range stay, however long they are", () => {
    const view = viewOf("mamaa", { m: 50_000, a: 10 });
    compact(view);
    expect(kinds(view)).toBe("smee");
  });

  it("many short rounds become one, not hundreds", () => {
    const view = viewOf("me".repeat(400) + "me", { m: 60, e: 100 });
    expect(compact(view, 60_000)).toHaveLength(1);
    const longer = viewOf("me".repeat(40) + "me", { m: 60, e: 1_000 });
    expect(compact(longer, 6_000).length).toBeLessThanOrEqual(14);
  });
});
