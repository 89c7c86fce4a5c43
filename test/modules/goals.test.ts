import { describe, expect, it } from "vitest";
import { goals } from "../../modules/goals.ts";
import { createTestHost } from "./test-host.ts";

function pinned(agent: ReturnType<typeof createTestHost>) {
  return goals.pinnedMessage!(agent.host);
}

describe("the goals module", () => {
  it("tells the agent what goals are for", () => {
    const { host } = createTestHost(goals);
    expect(goals.instructions!(host)).toMatchInlineSnapshot(
      `"Your goals show you and everyone else what you are working at. When you take on work of more than one step, add a goal for it, concrete and within your reach; complete it as soon as it is done. Add no goals that nobody needs."`,
    );
  });

  it("adds goals, numbers them from 1 and shows which are complete", async () => {
    const agent = createTestHost(goals);
    expect(await pinned(agent)).toBe("You have no goals currently.");
    expect(await agent.act("addGoal", { goal: "Read the docs" })).toEqual({
      outcome: "ok",
      content: "Goal added.",
    });
    await agent.act("addGoal", { goal: '  Say "hello"\n  twice ' });
    expect(await agent.act("completeGoal", { goalNumber: 1 })).toEqual({
      outcome: "ok",
      content: "Goal marked complete.",
    });
    expect(await pinned(agent)).toMatchInlineSnapshot(`
      "Your goals:
      1) "Read the docs" [COMPLETE]
      2) "Say "hello" twice" [PENDING]"
    `);
  });

  it("keeps the list in the form that people see in goals.json", async () => {
    const agent = createTestHost(goals);
    await agent.act("addGoal", { goal: "first" });
    await agent.act("addGoal", { goal: "second" });
    await agent.act("completeGoal", { goalNumber: "2" });
    expect(Object.fromEntries(agent.state)).toEqual({
      goals: [
        { text: "first", complete: false },
        { text: "second", complete: true },
      ],
    });
    expect(goals.projection).toEqual({ kind: "file", name: "goals.json" });
  });

  it("completes a goal again without harm", async () => {
    const agent = createTestHost(goals, { state: { goals: [{ text: "done", complete: true }] } });
    expect((await agent.act("completeGoal", { goalNumber: 1 })).outcome).toBe("ok");
  });

  it.each([
    [[], 1, "Invalid goal number: 1. You have no goals."],
    [["a"], 2, "Invalid goal number: 2. Your only goal is number 1."],
    [["a", "b", "c"], 0, "Invalid goal number: 0. Your goals have the numbers 1 to 3."],
    [["a", "b", "c"], -1, "Invalid goal number: -1. Your goals have the numbers 1 to 3."],
  ])("refuses a number that no goal of %j has: %i", async (texts, goalNumber, content) => {
    const agent = createTestHost(goals, {
      state: { goals: texts.map((text) => ({ text, complete: false })) },
    });
    expect(await agent.act("completeGoal", { goalNumber })).toEqual({ outcome: "error", content });
  });

  it.each([1.5, "two", Number.NaN, {}, null])("takes only whole numbers, not %j", async (goalNumber) => {
    const agent = createTestHost(goals, { state: { goals: [{ text: "a", complete: false }] } });
    const result = await agent.act("completeGoal", { goalNumber }).catch(() => ({ outcome: "error" }));
    expect(result.outcome).toBe("error");
    expect(agent.state.get("goals")).toEqual([{ text: "a", complete: false }]);
  });

  it("refuses a goal without text or with too much of it", async () => {
    const agent = createTestHost(goals);
    await expect(agent.act("addGoal", { goal: " \n " })).rejects.toThrow();
    await expect(agent.act("addGoal", { goal: "x".repeat(2_001) })).rejects.toThrow();
    expect(agent.state.size).toBe(0);
  });

  it("refuses goals past what can be shown at once", async () => {
    const agent = createTestHost(goals);
    for (let n = 0; n < 100; n++) await agent.act("addGoal", { goal: `goal ${n}` });
    expect((await agent.act("addGoal", { goal: "one more" })).outcome).toBe("error");
    await agent.act("completeGoal", { goalNumber: 7 });
    expect((await agent.act("addGoal", { goal: "one more" })).outcome).toBe("ok");
  });

  it("shows every pending goal but only the last 10 completed ones, under their own numbers", async () => {
    const list = Array.from({ length: 30 }, (_, index) => ({
      text: `goal ${index + 1}`,
      complete: index % 2 === 0,
    }));
    const agent = createTestHost(goals, { state: { goals: list } });
    expect(await pinned(agent)).toMatchInlineSnapshot(`
      "Your goals:
      2) "goal 2" [PENDING]
      4) "goal 4" [PENDING]
      6) "goal 6" [PENDING]
      8) "goal 8" [PENDING]
      10) "goal 10" [PENDING]
      11) "goal 11" [COMPLETE]
      12) "goal 12" [PENDING]
      13) "goal 13" [COMPLETE]
      14) "goal 14" [PENDING]
      15) "goal 15" [COMPLETE]
      16) "goal 16" [PENDING]
      17) "goal 17" [COMPLETE]
      18) "goal 18" [PENDING]
      19) "goal 19" [COMPLETE]
      20) "goal 20" [PENDING]
      21) "goal 21" [COMPLETE]
      22) "goal 22" [PENDING]
      23) "goal 23" [COMPLETE]
      24) "goal 24" [PENDING]
      25) "goal 25" [COMPLETE]
      26) "goal 26" [PENDING]
      27) "goal 27" [COMPLETE]
      28) "goal 28" [PENDING]
      29) "goal 29" [COMPLETE]
      30) "goal 30" [PENDING]
      Not shown: 5 more that you completed earlier."
    `);
  });

  it.each([
    ["no list", "garbage", "You have no goals currently."],
    ["an object", { text: "x" }, "You have no goals currently."],
    ["odd entries", [null, 7, "text", { complete: true }, { text: 3 }], "You have no goals currently."],
    ["one good entry", [[], { text: "kept" }], 'Your goals:\n1) "kept" [PENDING]'],
    ["an unclear mark", [{ text: "kept", complete: "yes" }], 'Your goals:\n1) "kept" [PENDING]'],
  ])("reads what a person left in the file: %s", async (_, stored, shown) => {
    expect(await pinned(createTestHost(goals, { state: { goals: stored } }))).toBe(shown);
  });

  it("names the oldest pending goal as the objective", () => {
    const list = [
      { text: "done", complete: true },
      { text: "now", complete: false },
      { text: "later", complete: false },
    ];
    expect(goals.objective!(createTestHost(goals, { state: { goals: list } }).host)).toBe("now");
    expect(goals.objective!(createTestHost(goals).host)).toBeUndefined();
  });

  it("declares that its actions touch nothing outside", () => {
    expect(Object.values(goals.actions).map(({ effects }) => effects)).toEqual(["none", "none"]);
  });
});
