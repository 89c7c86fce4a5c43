import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { totalUsage } from "../../src/past/ledger.ts";
import { anthropicFormat } from "../model/anthropic/anthropic-format.ts";
import type { World } from "../world.ts";
import { WIRES, type Answer } from "./provider-wires.ts";
import { useProvider } from "./provider-world.ts";

const PLAN: Answer = {
  thoughts: "First a goal, then a note.",
  text: "On it.",
  calls: [
    { id: "call_a", action: "addGoal", parameters: { goal: "buy milk" } },
    { id: "call_b", action: "writeNote", parameters: { title: "milk", content: "two litres, äöü 🦜" } },
  ],
};
const COMPLETE: Answer = { calls: [{ id: "call_c", action: "completeGoal", parameters: { goalNumber: 1 } }] };
const REPORT: Answer = { text: "The milk is bought." };

describe.each(WIRES)("an agent on $title", (wire) => {
  const { open, reply } = useProvider(wire);
  const answers = (...list: readonly Answer[]): void => reply(...list.map(wire.answer));

  it("does several calls of one decision in order, and ends in log, state and an answer", async () => {
    answers(PLAN, COMPLETE, REPORT);
    const world = await open();
    const [asked] = await world.say("1", "Please buy milk.");
    await world.idle();

    const path = (await world.events("1")).map(({ kind }) => kind).filter((kind) => kind !== "prompted");
    expect(path).toEqual([
      ...["opened", "message"],
      ...["decision", "result", "result"],
      ...["decision", "result"],
      ...["decision", "sent"],
    ]);
    const [decision] = await world.kinds("1", "decision");
    expect(decision).toMatchObject({ text: "On it.", protocol: "tools", stop: "calls" });
    expect(decision?.model).toBe(`${wire.format.name}/test-1`);
    const results = await world.kinds("1", "result");
    expect(results.map(({ call, outcome }) => [call, outcome])).toEqual([
      ["call_a", "ok"],
      ["call_b", "ok"],
      ["call_c", "ok"],
    ]);
    expect(await readState(world, "goals.json")).toContain('"complete": true');
    expect(await readState(world, "notes/milk.txt")).toBe("two litres, äöü 🦜");
    const [answer] = await world.kinds("0", "message");
    expect(answer?.message).toMatchObject({ content: "The milk is bought.", re: asked });
    expect(world.agent("1").standing).toMatchObject({ state: "idle", reason: "" });
  });

  it("shows the model its calls with exactly one result each", async () => {
    answers(PLAN, REPORT);
    const world = await open();
    await world.say("1", "Please buy milk.");
    await world.idle();
    const body = world.body(1);
    for (const call of PLAN.calls!) expect(body.split(`"${call.id}"`)).toHaveLength(3);
    expect(body.indexOf("buy milk")).toBeLessThan(body.indexOf("has been written successfully"));
  });

  it("shows thoughts as they come and keeps them in the log", async () => {
    answers(PLAN, REPORT);
    const world = await open();
    await world.say("1", "Please buy milk.");
    await world.idle();
    const deltas = world.seen.flatMap((seen) => (seen.kind === "live:delta" ? [seen.delta] : []));
    const join = (kind: "text" | "thoughts"): string =>
      deltas.map((delta) => (delta.kind === kind ? delta.text : "")).join("");
    expect(join("thoughts")).toBe(PLAN.thoughts);
    expect(join("text")).toBe(`${PLAN.text}${REPORT.text}`);
    const phases = world.seen.flatMap((seen) =>
      seen.kind === "live:call" ? [[seen.phase, seen.call, seen.action]] : [],
    );
    const [goal, letter] = PLAN.calls!.map(({ id, action }) => [id, action]) as [string[], string[]];
    expect(phases).toEqual([
      ["written", ...goal],
      ["written", ...letter],
      ["running", ...goal],
      ["ended", ...goal],
      ["running", ...letter],
      ["ended", ...letter],
    ]);
    const decided = world.seen.findIndex((seen) => seen.kind === "event" && seen.event.kind === "decision");
    expect(world.seen.findIndex((seen) => seen.kind === "live:delta")).toBeLessThan(decided);
    const decisions = await world.kinds("1", "decision");
    expect(decisions.map(({ thoughts }) => thoughts)).toEqual([PLAN.thoughts, undefined]);
  });

  it("goes on with the same conversation after a restart", async () => {
    answers(PLAN, REPORT);
    const world = await open();
    await world.say("1", "Please buy milk.");
    await world.idle();
    answers({ text: "You are welcome." });
    const again = await world.restart();
    await again.say("1", "Thank you.");
    await again.idle();
    const [before, after] = [world.body(1), world.body(2)].map(stableMessages);
    expect(after!.slice(0, before!.length)).toEqual(before);
    expect(JSON.stringify(after!.slice(before!.length))).toContain("Thank you.");
    // Only Anthropic signs thinking and wants it back.
    expect(world.body(2).includes('"signature":"signed"')).toBe(wire.format === anthropicFormat);
  });

  it("tells the model what was wrong with a call, and lets it mend that", async () => {
    const broken = wire.stream === "on" ? '{"goal": ' : { aim: "buy milk" };
    const wrong: Answer = { calls: [{ id: "call_x", action: "addGoal", parameters: broken }] };
    answers(wrong, PLAN, REPORT);
    const world = await open();
    await world.say("1", "Please buy milk.");
    await world.idle();
    const [refused] = await world.kinds("1", "result");
    expect(refused).toMatchObject({ call: "call_x", outcome: "error" });
    expect(world.body(1)).toContain("addGoal");
    expect(world.body(1)).toContain(JSON.stringify(refused!.content).slice(1, 40));
    expect(await world.kinds("0", "message")).toHaveLength(1);
  });

  it("counts tokens and money to the last one, cached tokens at their own price", async () => {
    const price = { input: 4, output: 20, cacheRead: 0.5, cacheWrite: 5 };
    answers(
      { ...PLAN, tokens: { input: 1_357, output: 211, cacheWrite: 1_300 } },
      { ...COMPLETE, tokens: { input: 1_649, output: 37, cacheRead: 1_300, cacheWrite: 300 } },
      { ...REPORT, tokens: { input: 1_700, output: 9, cacheRead: 1_600 } },
    );
    const world = await open({ profile: { price } });
    await world.say("1", "Please buy milk.");
    await world.idle();

    const costs = [
      (57 * 4 + 1_300 * 5 + 211 * 20) / 1e6,
      (49 * 4 + 1_300 * 0.5 + 300 * 5 + 37 * 20) / 1e6,
      (100 * 4 + 1_600 * 0.5 + 9 * 20) / 1e6,
    ];
    const cost = costs.reduce((sum, each) => sum + each);
    const decisions = await world.kinds("1", "decision");
    expect(decisions.map(({ usage }) => usage)).toEqual([
      { input: 1_357, output: 211, cacheWrite: 1_300 },
      { input: 1_649, output: 37, cacheRead: 1_300, cacheWrite: 300 },
      { input: 1_700, output: 9, cacheRead: 1_600 },
    ]);
    for (const [index, decision] of decisions.entries()) expect(decision.cost).toBeCloseTo(costs[index]!, 12);
    for (const running of [world, await world.restart()]) {
      const { cost: agentCost, ...tokens } = totalUsage(running.agent("1").memory.ledger);
      expect(tokens).toEqual({ input: 4_706, output: 257, cacheRead: 2_900, cacheWrite: 1_600 });
      expect(agentCost).toBeCloseTo(cost, 12);
      const { cost: legionCost, ...spent } = running.legion.budget.spent();
      expect(spent).toMatchObject({ steps: 3, tokens: 4_963 });
      expect(legionCost).toBeCloseTo(cost, 12);
    }
  });

  it("keeps quiet about money where the model's price is unknown", async () => {
    answers(REPORT);
    const world = await open();
    await world.say("1", "Please buy milk.");
    await world.idle();
    const [decision] = await world.kinds("1", "decision");
    expect(decision).not.toHaveProperty("cost");
    expect(world.legion.budget.spent()).toMatchObject({ steps: 1, tokens: 14, cost: 0 });
  });
});

function readState({ project }: World, path: string): Promise<string> {
  return readFile(join(project, ".ai-legion", "agents", "1", path), "utf8");
}

/** The messages of a request but for what is pinned at its end, without cache marks. */
function stableMessages(body: string): unknown[] {
  const { messages } = JSON.parse(body, (key, value: unknown) =>
    key === "cache_control" ? undefined : value,
  ) as {
    messages: { role: string; content: unknown }[];
  };
  const last = messages.pop()!;
  const kept = Array.isArray(last.content) ? last.content.slice(0, -1) : [];
  return kept.length > 0 ? [...messages, { ...last, content: kept }] : messages;
}
