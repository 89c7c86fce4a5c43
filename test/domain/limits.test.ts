import { describe, expect, it } from "vitest";
import { isLegionError } from "../../src/base/errors.ts";
import { formatLimits, parseLegionLimits, parseLimits, resolveLimits } from "../../src/domain/limits.ts";

describe("parseLimits", () => {
  it("reads any of the limits, in any order", () => {
    expect(parseLimits("steps=100,tokens=2000000,cost=2.50,time=8h")).toEqual({
      steps: 100,
      tokens: 2_000_000,
      cost: 2.5,
      timeMs: 28_800_000,
    });
    expect(parseLimits("turns=50")).toEqual({ turns: 50 });
    expect(parseLimits(" time = 90m , steps = 7 ")).toEqual({ timeMs: 5_400_000, steps: 7 });
  });

  it("reads none, for all limits or for one", () => {
    expect(parseLimits("none")).toEqual({
      ...{ steps: "none", turns: "none", tokens: "none", cost: "none", timeMs: "none" },
    });
    expect(parseLimits("cost=none")).toEqual({ cost: "none" });
  });

  it.each([
    ["step=3", '"step=3" is no limit; did you mean steps=...?'],
    [
      "gold=3",
      '"gold=3" is no limit; write steps=, turns=, tokens=, cost= and time=, separated by commas, or none',
    ],
    ["", '"" is no limit; write steps=, turns=, tokens=, cost= and time=, separated by commas, or none'],
    [
      "steps",
      '"steps" is no limit; write steps=, turns=, tokens=, cost= and time=, separated by commas, or none',
    ],
    [
      "__proto__=3",
      '"__proto__=3" is no limit; write steps=, turns=, tokens=, cost= and time=, separated by commas, or none',
    ],
    ["steps=", 'steps: "" is no limit; write a whole number above 0, or none'],
    ["steps=0", 'steps: "0" is no limit; write a whole number above 0, or none'],
    ["tokens=1e6", 'tokens: "1e6" is no limit; write a whole number above 0, or none'],
    ["cost=-1", 'cost: "-1" is no limit; write US dollars such as 2.50, above 0, or none'],
    ["cost=$5", 'cost: "$5" is no limit; write US dollars such as 2.50, above 0, or none'],
    ["turns=0", 'turns: "0" is no limit; write a whole number above 0, or none'],
    ["turns=1.5", 'turns: "1.5" is no limit; write a whole number above 0, or none'],
    ["time=0", 'time: "0" is no limit; write a duration such as 8h above 0, or none'],
    ["time=soon", 'time: "soon" is no duration; write 500ms, 2s, 5m or 1h'],
    ["steps=1,steps=2", "steps is given twice"],
  ])("refuses %j and says what would be right", (text, message) => {
    expect(() => parseLimits(text)).toThrow(
      expect.toSatisfy((error: Error) => isLegionError(error, "USAGE") && error.message === message),
    );
  });
});

describe("the limits of a legion", () => {
  it("count steps and turns for each agent, and tokens, cost and time for all together", () => {
    expect(parseLegionLimits("steps=1,turns=5,tokens=2,cost=3,time=4")).toEqual({
      agent: { steps: 1, turns: 5 },
      legion: { tokens: 2, cost: 3, timeMs: 4 },
    });
  });

  it("are lifted everywhere by none", () => {
    const { agent, legion } = parseLegionLimits("none");
    expect(resolveLimits({ steps: 500, cost: 1 }, agent)).toEqual({});
    expect(resolveLimits({ cost: 5, tokens: 1 }, legion)).toEqual({});
  });
});

describe("resolveLimits", () => {
  it("lets every choice overrule those before it, limit by limit", () => {
    expect(resolveLimits({ steps: 500 }, { steps: 9, cost: 1 }, { steps: undefined, tokens: 3 })).toEqual({
      steps: 9,
      cost: 1,
      tokens: 3,
    });
  });

  it("lets none lift what was said before, and a number set it again", () => {
    expect(resolveLimits({ cost: 5 }, { cost: "none" })).toEqual({});
    expect(resolveLimits({ cost: 5 }, { cost: "none" }, { cost: 1 })).toEqual({ cost: 1 });
  });
});

describe("formatLimits", () => {
  it.each([
    [{}, "none"],
    [{ steps: 500, cost: 5 }, "500 steps, 5 USD"],
    [{ tokens: 2_000_000, timeMs: 28_800_000 }, "2000000 tokens, 8h"],
  ])("shows %j as %s", (limits, text) => {
    expect(formatLimits(limits)).toBe(text);
  });
});
