import { describe, expect, it } from "vitest";
import { createScriptedModel } from "../../src/model/scripted/scripted.ts";
import { describeDifference } from "../../src/legion/replay/difference.ts";
import { replay, replayLegion } from "../legion/replay/replays.ts";
import { NOOP, textOf } from "../workshop.ts";
import { createWorld, createWorldInMemory } from "../world.ts";

describe("a verdict", () => {
  it("is neither shown nor work where it is taken in, and is not found by who recalls", async () => {
    const model = createScriptedModel([
      { calls: [{ action: "recall", parameters: { query: "approved" } }] },
      NOOP,
    ]);
    const world = await createWorldInMemory({ 1: { model } });
    const id = await world.legion.control.answer({
      question: "1.2",
      verdict: "approved",
      reason: "as asked",
    });
    expect(id).toBe("0>1#1");
    await world.idle();
    expect(await world.kinds("1", "message")).toMatchObject([
      { message: { delivery: "verdict", content: "approved 1.2: as asked", details: { question: "1.2" } } },
    ]);
    expect(model.requests).toEqual([]);
    await world.say("1", "What did I say?");
    await world.idle();
    expect(textOf(model.requests[0]!)).not.toContain("approved");
    expect((await world.kinds("1", "result"))[0]!.content).not.toContain("as asked");
  });

  it.each([
    ["7.2", 'There is no agent "7".'],
    ["1", "`1` is no question."],
    ["0.3", "`0.3` is no question."],
    ["1.2 \n1.3", "`1.2 1.3` is no question."],
  ])("is refused about what nobody asked: %j", async (question, why) => {
    const world = await createWorldInMemory({ 1: {} });
    await expect(world.legion.control.answer({ question, verdict: "denied" })).rejects.toThrow(why);
    expect(await world.kinds("0", "notice")).toEqual([]);
  });

  it("is said and taken in again by a replay", async () => {
    const agent = { script: [NOOP, NOOP] };
    const world = await createWorld({ 1: agent });
    await world.say("1", "Go.");
    await world.idle();
    await world.legion.control.answer({ question: "1.2", verdict: "denied", reason: "no" });
    await world.idle();
    await world.say("1", "Go on.");
    await world.idle();
    await world.stop();
    const { difference } = await replay(world.project, "1", agent);
    expect(difference && describeDifference(difference)).toBe(undefined);
    const whole = await replayLegion(world.project, { 1: agent });
    expect(whole.difference && describeDifference(whole.difference)).toBe(undefined);
  });
});
