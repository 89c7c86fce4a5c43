import { describe, expect, it } from "vitest";
import { ok } from "../../../src/domain/authoring/module.ts";
import { describeDifference } from "../../../src/legion/replay/difference.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { NOOP, workshop } from "../../workshop.ts";
import { byHand, createWorld } from "../../world.ts";
import { replay } from "./replays.ts";

/** Two calls, of which the second is none that could run. */
const WORK_AND_NONE: ScriptedAnswer = {
  calls: [{ action: "work", parameters: { step: "a" } }, { action: "nonesuch" }],
};

describe("a replay of calls that were skipped", () => {
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
});
