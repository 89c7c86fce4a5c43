import { describe, expect, it } from "vitest";
import { ok } from "../../../src/domain/authoring/module.ts";
import { describeDifference } from "../../../src/legion/replay/difference.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { NOOP, work, workshop } from "../../workshop.ts";
import { byHand, createWorld } from "../../world.ts";
import { replay, replayLegion } from "./replays.ts";

/** Two calls, of which the second is none that could run. */
const WORK_AND_NONE: ScriptedAnswer = {
  calls: [{ action: "work", parameters: { step: "a" } }, { action: "nonesuch" }],
};

describe("a replay of what a person said in lanes", () => {
  it("is identical where a skipped call could not have run anyway", async () => {
    const [started, hold] = [byHand(), byHand()];
    const modules = workshop(async (step) => {
      started.resolve();
      await hold.promise;
      return ok(step);
    });
    const agent = { script: [WORK_AND_NONE, NOOP], modules };
    const world = await createWorld({ 1: agent });
    await world.say("1", "Go.");
    await started.promise;
    await world.legion.control.say(["1"], "Something else.", "steer");
    hold.resolve();
    await world.idle();
    expect((await world.kinds("1", "result"))[1]).toMatchObject({
      outcome: "idle",
      call: expect.any(String),
    });
    await world.stop();
    const { difference } = await replay(world.project, "1", agent);
    expect(difference && describeDifference(difference)).toBeUndefined();
  });

  it("is identical of one agent and of all, with what was held, released, withdrawn and stopped", async () => {
    const modules = workshop((step) => ok(step));
    const rest = Array.from({ length: 6 }, () => NOOP);
    const agents = {
      1: { script: [work("a", "b"), "Done a.", work("c"), "Done c.", ...rest], modules },
      2: {
        script: [
          { calls: [{ action: "sendMessage", parameters: { targetAgentId: "1", message: "Hi." } }] },
          ...rest,
        ],
      },
    };
    const world = await createWorld(agents);
    await world.say("1", "Go.");
    await world.legion.control.say(["1"], "Later.", "follow-up");
    await world.say("2", "Greet.");
    await world.idle();
    await world.legion.agents.get("1")!.pause("by a test");
    await world.legion.control.say(["1"], "Never.", "follow-up");
    for (let n = 0; n < 3; n++) await world.say("1", `Letter ${n} ${"x".repeat(200_000)}`);
    await world.legion.control.say(["1"], "Now.", "steer");
    await world.legion.control.say(["1"], "At last.", "follow-up");
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    await world.legion.control.say(["1"], "Stop.", "abort");
    await world.idle();
    await world.stop();
    for (const id of ["1", "2"] as const) {
      const { difference } = await replay(world.project, id, agents[id]);
      expect(difference && describeDifference(difference)).toBeUndefined();
    }
    const whole = await replayLegion(world.project, agents);
    expect(whole.difference && describeDifference(whole.difference)).toBeUndefined();
  });
});
