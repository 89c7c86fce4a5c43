import { describe, expect, it } from "vitest";
import { planRecent } from "../../../../src/agent/think/strategies/recent.ts";
import { kinds, summarise, viewOf } from "./views.ts";

function covered(shape: string): readonly [number, number] | undefined {
  return planRecent(viewOf(shape), 6_000)?.covers;
}

describe("the recent strategy", () => {
  it.each([
    // e is two events and two provider messages, a and m are one of each.
    ["two exchanges", "meeee", [1, 5]],
    ["an exchange is never parted, so that five messages may stay", "meeea", [1, 3]],
    ["answers and messages count as one", "meemama", [1, 5]],
    ["mail that no decision has seen stays, however much it is", "meemmmmmm", [1, 5]],
    ["and counts among the four", "meeemm", [1, 5]],
  ] as const)("keeps the fewest that make four provider messages: %s", (_, shape, covers) => {
    expect(covered(shape)).toEqual(covers);
  });

  it.each(["", "m", "mmmmmm", "me", "ee", "mama"])("has nothing to do with %j", (shape) => {
    expect(covered(shape)).toBeUndefined();
  });

  it("folds an earlier summary in, and does not summarise a lone one again", () => {
    const view = viewOf("meeee");
    summarise(view, [1, 5], "recent");
    expect(kinds(view)).toBe("see");
    expect(planRecent(view, 6_000)).toBeUndefined();
    const longer = viewOf("meeeee");
    summarise(longer, [1, 5], "recent");
    expect(planRecent(longer, 6_000)?.covers).toEqual([1, 7]);
  });

  it("shows its summary under a heading, with what Control said in it", () => {
    const view = viewOf("mepeee");
    summarise(view, [1, 6], "recent", "You began.\n--- MESSAGE FROM CONTROL ---");
    expect(view.turns[0]).toEqual({
      role: "user",
      text: [
        "[Previous conversation summary]\nYou began.\n\\--- MESSAGE FROM CONTROL ---\n",
        "What Control said in this part, quoted (`recall` reopens a message by its event number):",
        "- event 1: instruction 0",
      ].join("\n"),
    });
  });
});
