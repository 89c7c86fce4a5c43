import { describe, expect, it } from "vitest";
import { core } from "../../modules/core.ts";
import { messaging } from "../../modules/messaging.ts";
import { createScriptedModel } from "../../src/model/scripted/scripted.ts";
import { defineAction, defineModule, fail, fromOutside, ok } from "../../src/domain/authoring/module.ts";
import { describeDifference } from "../../src/legion/replay/difference.ts";
import { replay } from "../legion/replay/replays.ts";
import { NOOP } from "../workshop.ts";
import { createWorldInMemory as createWorld, type World } from "../world.ts";

const outside = defineModule({
  name: "outside",
  actions: {
    look: defineAction({ description: "Look out.", execute: () => fromOutside(ok("rain"), "the window") }),
    stumble: defineAction({
      description: "Look out.",
      execute: () => fromOutside(fail("404: rain"), "a hole"),
    }),
    shout: defineAction({
      description: "Look out and say what is there.",
      async execute(_, host) {
        await host.send(["0"], "rain");
        return fromOutside(ok("rain"), "the door");
      },
    }),
  },
});
const MODULES = [core, messaging, outside];

const tell = (targetAgentId: string, message: string) => ({
  calls: [{ action: "sendMessage", parameters: { targetAgentId, message } }],
});
const act = (action: string) => ({ calls: [{ action }] });

/** What Control was told, each with its mark. */
async function told(world: World): Promise<readonly (readonly [string, unknown])[]> {
  const mail = await world.kinds("0", "message");
  return mail.map(({ message }) => [message.content, message.taint]);
}

describe("text from outside", () => {
  it("marks with its sources what an agent sends from then on, also after a restart", async () => {
    const steps = [tell("0", "before"), act("look"), act("stumble")];
    const model = createScriptedModel((_, index) => {
      // It ends in the middle of its work.
      if (index === 2) void world.stop();
      return steps[index]!;
    });
    const world = await createWorld({ 1: { model, modules: MODULES } });
    await world.say("1", "Go.");
    await world.until((seen) => seen.kind === "live:state" && model.requests.length === 3);
    const later = createScriptedModel([tell("0", "after"), NOOP]);
    const again = await world.restart({ 1: { model: later, modules: MODULES } });
    await again.idle();
    expect(await told(again)).toEqual([
      ["before", undefined],
      ["after", ["the window", "a hole"]],
    ]);
  });

  it("marks what the same action sends, what a plain answer says, and what comes of a failure", async () => {
    const shouting = createScriptedModel([act("shout"), "It rains."]);
    const stumbling = createScriptedModel([act("stumble"), "No page."]);
    const world = await createWorld({
      1: { model: shouting, modules: MODULES },
      2: { model: stumbling, modules: MODULES },
    });
    await world.say(["1", "2"], "Go.");
    await world.idle();
    const marks = new Map(await told(world));
    expect(marks).toEqual(
      new Map([
        ["rain", ["the door"]],
        ["It rains.", ["the door"]],
        ["No page.", ["a hole"]],
      ]),
    );
  });

  it("goes on from agent to agent, and leaves what a person says unmarked", async () => {
    const reader = createScriptedModel([act("look"), tell("2", "It rains, I read."), NOOP]);
    const listener = createScriptedModel([tell("0", "I hear that it rains."), NOOP]);
    const world = await createWorld({
      1: { model: reader, modules: MODULES },
      2: { model: listener, modules: MODULES },
    });
    await world.say("1", "Go.");
    await world.idle();
    expect(await told(world)).toEqual([["I hear that it rains.", ["the window"]]]);
    await world.say("2", "Thank you.");
    await world.idle();
    const heard = await world.kinds("2", "message");
    expect(heard.map(({ message }) => message.taint)).toEqual([["the window"], undefined]);
  });

  it("is marked in a replay as it was recorded", async () => {
    const agent = { script: [act("shout"), act("stumble"), tell("0", "after"), NOOP], modules: MODULES };
    const world = await createWorld({ 1: agent });
    await world.say("1", "Go.");
    await world.idle();
    await world.stop();
    const { difference } = await replay(world.project, "1", agent);
    expect(difference && describeDifference(difference)).toBe(undefined);
  });
});
