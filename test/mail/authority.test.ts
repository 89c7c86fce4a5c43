import { describe, expect, it } from "vitest";
import { createScriptedModel, type ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import type { ModelRequest } from "../../src/domain/model.ts";
import type { AgentId } from "../../src/domain/message/message.ts";
import { describeDifference } from "../../src/legion/replay/difference.ts";
import { replay } from "../legion/replay/replays.ts";
import { NOOP, workshop } from "../workshop.ts";
import { createWorld, createWorldInMemory, type World } from "../world.ts";

const tell = (targetAgentId: string, message: string): ScriptedAnswer => ({
  calls: [{ action: "sendMessage", parameters: { targetAgentId, message } }],
});

/** What an agent was told, each with the agents in whose name it came. */
async function told(world: World, agent: AgentId): Promise<readonly (readonly [string, unknown])[]> {
  const mail = await world.kinds(agent, "message");
  return mail.map(({ message }) => [message.content, message.authority]);
}

const namesOf = (world: World, agent: AgentId): readonly AgentId[] =>
  world.agent(agent).memory.conversation.authority;

describe("in whose name a message comes", () => {
  it("is said by the runtime: every agent of its chain since a person spoke, each once", async () => {
    const world = await createWorldInMemory({
      1: { script: [tell("2", "one"), NOOP, tell("0", "four"), NOOP] },
      2: { script: [tell("writer", "two"), NOOP] },
      writer: { script: [tell("1", "three"), NOOP] },
    });
    await world.say("1", "Go.");
    await world.idle();
    expect(await told(world, "1")).toEqual([
      ["Go.", undefined],
      ["three", ["1", "2", "writer"]],
    ]);
    expect(await told(world, "2")).toEqual([["one", ["1"]]]);
    expect(await told(world, "writer")).toEqual([["two", ["1", "2"]]]);
    expect(await told(world, "0")).toEqual([["four", ["2", "writer", "1"]]]);
    expect([namesOf(world, "1"), namesOf(world, "2"), namesOf(world, "writer")]).toEqual([
      ["2", "writer"],
      ["1"],
      ["1", "2"],
    ]);
  });

  it("does not grow in a loop, and not by what an agent says to itself", async () => {
    // Answers each message with another one.
    const answer =
      (to: AgentId) =>
      ({ turns }: Pick<ModelRequest, "turns">): ScriptedAnswer =>
        turns.at(-1)?.role === "results" ? NOOP : tell(to, "again");
    const world = await createWorldInMemory({ 1: { script: answer("2") }, 2: { script: answer("1") } });
    await world.say("1", "Talk to 2.");
    await world.idle();
    const names = (await told(world, "2")).flatMap(
      ([, names]) => (names as readonly AgentId[] | undefined)?.join() ?? [],
    );
    expect(names.length).toBeGreaterThan(10);
    expect(new Set(names.slice(1))).toEqual(new Set(["2,1"]));
  });

  it("is that of all mail since the agent last rested, also where a person speaks in between, and of nobody after it", async () => {
    const model = createScriptedModel(async (_, index) => {
      if (index === 1) await world.say("2", "Hurry.");
      return [tell("0", "first"), tell("0", "second"), tell("0", "third"), NOOP, tell("0", "last"), NOOP][
        index
      ]!;
    });
    const world = await createWorldInMemory({ 1: { script: [tell("2", "Do it."), NOOP] }, 2: { model } });
    await world.say("1", "Go.");
    await world.idle();
    await world.say("2", "Say more.");
    await world.idle();
    expect(await told(world, "0")).toEqual([
      ["first", ["1", "2"]],
      ["second", ["1", "2"]],
      ["third", ["1", "2"]],
      ["last", ["2"]],
    ]);
    expect(namesOf(world, "2")).toEqual([]);
  });

  it("is of nobody what the runtime says, in the name of an agent or of its own", async () => {
    const again: ScriptedAnswer = { calls: [{ action: "help", parameters: { aboutAction: "noop" } }] };
    const world = await createWorldInMemory({ 1: { script: () => again } });
    await world.say("1", "Go.");
    await world.idle();
    await world.legion.control.announce(["1"], "Is there anything to do?");
    const mail = await world.kinds("0", "message");
    expect(mail[0]?.message).toMatchObject({ type: "spontaneous" });
    expect(mail[0]?.message).not.toHaveProperty("authority");
    expect(namesOf(world, "1")).toEqual([]);
  });

  it("is the same after a restart in the middle of the work, and for a copy of the agent", async () => {
    const slow = workshop(() => {
      void world.stop();
      return { outcome: "ok", content: "done" };
    });
    const work: ScriptedAnswer = { calls: [{ action: "work", parameters: { step: "a" } }] };
    const world = await createWorld({
      1: { script: [tell("2", "Do it."), NOOP] },
      2: { script: [work], modules: slow },
    });
    await world.say("1", "Go.");
    await world.until((seen) => seen.kind === "event" && seen.event.kind === "result" && seen.agent === "2");
    const again = await world.restart({ 1: {}, 2: { script: [tell("0", "done"), NOOP], modules: slow } });
    await again.idle();
    expect(await told(again, "0")).toEqual([["done", ["1", "2"]]]);
    const last = (await again.kinds("2", "result"))[0]!.seq;
    const { done } = await again.legion.fork({ agent: "2", at: last, as: "3" });
    await done;
    const copied = await again.restart({ 3: { script: [tell("0", "done as well"), NOOP] } });
    await copied.idle();
    expect((await told(copied, "0")).at(-1)).toEqual(["done as well", ["1", "3"]]);
  });

  it("is in a replay as it was recorded", async () => {
    const agents = {
      1: { script: [tell("2", "one"), NOOP, NOOP] },
      2: { script: [tell("1", "two"), NOOP] },
    };
    const world = await createWorld(agents);
    await world.say("1", "Go.");
    await world.idle();
    await world.stop();
    for (const id of ["1", "2"] as const) {
      const { difference } = await replay(world.project, id, agents[id]);
      expect(difference && describeDifference(difference)).toBe(undefined);
    }
  });
});
