import { describe, expect, it } from "vitest";
import { describeDifference } from "../../src/legion/replay/difference.ts";
import { WRAP_UP } from "../../src/agent/parts/model/metered-model.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { replay, replayLegion } from "../legion/replay/replays.ts";
import { busy } from "../spending.ts";
import { NOOP, textOf } from "../workshop.ts";
import { createWorld, createWorldInMemory, type World } from "../world.ts";

const WHY = "this agent may make 3 decisions for one instruction; a new message lets it go on.";
const limits = { turns: 3 };

/** How many decisions there are once nobody has anything to do. */
async function decisions(world: World): Promise<number> {
  await world.idle();
  return (await world.kinds("1", "decision")).length;
}

function tell(to: string, message: string): ScriptedAnswer {
  return { calls: [{ action: "sendMessage", parameters: { targetAgentId: to, message } }] };
}

describe("limits.turns", () => {
  it("parks an agent that made so many decisions for one message, and says so to whoever wrote it", async () => {
    const model = createScriptedModel(busy);
    const world = await createWorldInMemory({ 1: { model, limits } });
    await world.say("1", "Go.");
    expect(await decisions(world)).toBe(3);
    expect(world.agent("1").standing).toMatchObject({ state: "parked", reason: WHY });
    expect((await world.kinds("0", "message"))[0]?.message).toMatchObject({
      content: `I was stopped: ${WHY}`,
      re: "0>1#1",
    });
    expect(model.requests.map(({ pinned }) => pinned.endsWith(WRAP_UP))).toEqual([false, false, true]);
  });

  it("counts anew with each message of a person, also before the first is done", async () => {
    const world = await createWorldInMemory({ 1: { script: busy, limits } });
    await world.say("1", "Go.");
    expect(await decisions(world)).toBe(3);
    await world.say("1", "Go on.");
    expect(await decisions(world)).toBe(6);
    await world.legion.agents.get("1")!.resume();
    expect(await decisions(world)).toBe(9);
    expect(await world.kinds("1", "notice")).toMatchObject([
      { reason: "parked-mail" },
      { reason: "parked-mail" },
      { reason: "resumed" },
      { reason: "parked-mail" },
    ]);
  });

  it("does not stop an agent whose last turn left nothing to do", async () => {
    const script = (request: unknown, index: number): ScriptedAnswer =>
      index % 3 === 2 ? NOOP : busy(request, index);
    const world = await createWorldInMemory({ 1: { script, limits } });
    for (const round of [1, 2, 3]) {
      await world.say("1", `Round ${round}.`);
      expect(await decisions(world)).toBe(3 * round);
    }
    expect(await world.kinds("1", "notice")).toEqual([]);
  });

  it("counts for an agent's mail since it was last idle, and tells that agent", async () => {
    const asking = createScriptedModel((request, index) =>
      index === 0 ? tell("1", "Please.") : textOf(request).includes("was stopped") ? "It gave up." : NOOP,
    );
    const world = await createWorldInMemory({ 1: { script: busy, limits }, 2: { model: asking } });
    await world.say("2", "Have 1 do it.");
    expect(await decisions(world)).toBe(3);
    const heard = (await world.kinds("2", "message")).map(({ message }) => message.content);
    expect(heard).toEqual(["Have 1 do it.", `Agent 1 was stopped: ${WHY}`]);
    const told = (await world.kinds("0", "message")).map(({ message }) => message.content);
    expect(told.sort()).toEqual([`I was stopped: ${WHY}`, "It gave up."]);
    await world.say("2", "Try again.");
    expect(await decisions(world)).toBe(3);
  });

  it("is not lengthened by agents that write while it works, and what they wrote is read when it goes on (A5)", async () => {
    const disturbed: { world?: World } = {};
    const model = createScriptedModel(async (request, index) => {
      if (index >= 3) return NOOP;
      const { world } = disturbed;
      await world!.say("2", "Disturb 1.");
      await world!.until((seen) => seen.kind === "event" && seen.agent === "2" && seen.event.kind === "sent");
      return busy(request, index);
    });
    const world = await createWorldInMemory({
      1: { model, limits },
      2: { script: () => tell("1", "Psst."), limits: { turns: 1 } },
    });
    disturbed.world = world;
    await world.say("1", "Go.");
    await world.until((seen) => seen.kind === "live:state" && seen.agent === "1" && seen.state === "parked");
    expect(await world.kinds("1", "decision")).toHaveLength(3);
    await world.say("1", "Go on.");
    expect(await decisions(world)).toBe(4);
    expect(textOf(model.requests[3]!).match(/Psst/g)).toHaveLength(3);
  });

  it("is not lengthened by another program that speaks while it works", async () => {
    const disturbed: { world?: World } = {};
    const script = async (request: unknown, index: number): Promise<ScriptedAnswer> => {
      const words = { targets: ["1"], content: "Go on.", request: `r-${index}` };
      await disturbed.world!.legion.control.relay(words);
      return busy(request, index);
    };
    const world = await createWorldInMemory({ 1: { script, limits } });
    disturbed.world = world;
    await world.say("1", "Go.");
    await world.until((seen) => seen.kind === "live:state" && seen.agent === "1" && seen.state === "parked");
    expect(await world.kinds("1", "decision")).toHaveLength(3);
  });

  it("is exact across restarts, and told of once", async () => {
    let world = await createWorld({ 1: { script: busy, limits } });
    await world.say("1", "Go.");
    await world.until((seen) => seen.kind === "event" && seen.event.kind === "result");
    world.legion.interrupt();
    world = await world.restart();
    expect(await decisions(world)).toBe(3);
    world = await world.restart();
    expect(await decisions(world)).toBe(3);
    expect(await world.kinds("1", "notice")).toMatchObject([{ reason: "parked-mail", content: WHY }]);
    expect(await world.kinds("0", "message")).toHaveLength(1);
  });

  it("does not make a replay differ, whatever it is today", async () => {
    const agents = { 1: { script: busy, limits }, 2: { script: [tell("1", "Please."), NOOP] } };
    const world = await createWorld(agents);
    await world.say("2", "Have 1 do it.");
    await world.idle();
    await world.say("1", "Go on.");
    expect(await decisions(world)).toBe(6);
    await world.stop();
    for (const turns of [undefined, 2, 50]) {
      const { difference } = await replay(world.project, "1", { limits: { turns } });
      expect(difference && describeDifference(difference)).toBe(undefined);
    }
    const whole = await replayLegion(world.project, { 1: { limits: { turns: 1 } }, 2: {} });
    expect(whole.difference && describeDifference(whole.difference)).toBe(undefined);
  });
});
