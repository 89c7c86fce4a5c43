import { describe, expect, it } from "vitest";
import { core } from "../../modules/core.ts";
import { messaging } from "../../modules/messaging.ts";
import { createScriptedModel } from "../../src/model/scripted/scripted.ts";
import { defineAction, defineModule, fail, fromOutside, ok } from "../../src/domain/module.ts";
import { describeDifference } from "../../src/legion/replay/difference.ts";
import { replay } from "../legion/replay/replays.ts";
import { NOOP } from "../workshop.ts";
import { createWorldInMemory as createWorld, type World } from "../world.ts";

const outside = defineModule({
  name: "outside",
  actions: {
    look: defineAction({ description: "Look out.", execute: () => fromOutside(ok("rain")) }),
    stumble: defineAction({ description: "Look out.", execute: () => fromOutside(fail("404: rain")) }),
    shout: defineAction({
      description: "Look out and say what is there.",
      async execute(_, host) {
        await host.send(["0"], "rain");
        return fromOutside(ok("rain"));
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
async function told(world: World): Promise<readonly (readonly [string, boolean])[]> {
  const mail = await world.kinds("0", "message");
  return mail.map(({ message }) => [message.content, message.taint === true]);
}

describe("text from outside", () => {
  it("marks what an agent sends from then on, also after a restart", async () => {
    const model = createScriptedModel([
      tell("0", "before"),
      act("look"),
      tell("0", "after"),
      NOOP,
      tell("0", "later"),
      NOOP,
    ]);
    const world = await createWorld({ 1: { model, modules: MODULES } });
    await world.say("1", "Go.");
    await world.idle();
    const again = await world.restart();
    await again.say("1", "Go on.");
    await again.idle();
    expect(await told(again)).toEqual([
      ["before", false],
      ["after", true],
      ["later", true],
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
        ["rain", true],
        ["It rains.", true],
        ["No page.", true],
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
    expect(await told(world)).toEqual([["I hear that it rains.", true]]);
    await world.say("2", "Thank you.");
    await world.idle();
    const heard = await world.kinds("2", "message");
    expect(heard.map(({ message }) => message.taint === true)).toEqual([true, false]);
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
