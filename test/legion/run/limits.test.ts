import { describe, expect, it } from "vitest";
import { raiseLimits, timeOf } from "../../../src/legion/run/limits.ts";
import { parseLegionLimits } from "../../../src/domain/limits.ts";

const SPENT = { steps: 14, tokens: 1_000, cost: 0.1 + 0.2, timeMs: 1_234.5 };

describe("limits of a run that is gone on with", () => {
  it.each([
    ["steps=+50", undefined, "steps=64"],
    ["steps=+50", "steps=10,cost=2", "steps=64,cost=2"],
    ["steps=20,cost=+1", "steps=10", "steps=20,cost=1.300000000"],
    [" time=+1m , tokens=+5", "cost=1", "cost=1,time=61235ms,tokens=1005"],
    ["turns=+5", "turns=2", "turns=5"],
    ["steps=none", "steps=10", "steps=none"],
    ["none", "steps=10", "none"],
    ["steps=+1", "none", "steps=15,turns=none,tokens=none,cost=none,time=none"],
  ])("%s after %s is %s", (said, before, expected) => {
    const raised = raiseLimits(said, before, SPENT);
    expect(raised).toBe(expected);
    expect(() => parseLegionLimits(raised)).not.toThrow();
  });

  it.each(["steps=+", "steps=+x", "cost=+-1", "time=+soon"])("refuses %s", (said) => {
    expect(() => raiseLimits(said, undefined, SPENT)).toThrow(/is no (limit|duration)/);
  });

  it.each(["foo", "1", "steps", "foo=3"])("leaves %s as it was typed, for whoever refuses it", (said) => {
    expect(raiseLimits(said, undefined, SPENT)).toBe(said);
  });
});

describe("how long a run may take", () => {
  it("is the shortest that anybody says", () => {
    expect(timeOf({}, {})).toBeUndefined();
    expect(timeOf({ timeMs: 5 }, { timeMs: 3 }, {})).toBe(3);
  });
});
