// What if that message, that result, or the model had been another one: a new agent goes on from there, held.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { messaging } from "../../modules/messaging.ts";
import type { Event } from "../../src/domain/event/event.ts";
import type { ForkOrder } from "../../src/legion/fork.ts";
import type { ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { deploy, questionOf, shop } from "../agent/act/asking.ts";
import { NOOP } from "../workshop.ts";
import { createWorld, type World } from "../world.ts";

const tell = (message: string): ScriptedAnswer => ({
  calls: [{ action: "sendMessage", parameters: { targetAgentId: "2", message } }],
});
const NOTES = (content: string): ScriptedAnswer => ({
  calls: [{ action: "writeNote", parameters: { title: "n", content } }],
});

/** Agent 1 was told something, wrote it down and told agent 2. */
async function recorded(): Promise<World> {
  const world = await createWorld({
    "1": { script: [NOTES("a"), tell("a"), NOOP] },
    "2": { script: () => NOOP },
  });
  await world.say("1", "The plan is a");
  await world.idle();
  return world;
}

async function fork(world: World, order: ForkOrder): Promise<void> {
  await (
    await world.legion.fork(order)
  ).done;
}

const textOf = (event: Event): string =>
  event.kind === "message" ? event.message.content : event.kind === "result" ? event.content : "";

describe("what if", () => {
  it.each([
    ["a message", "message", "The plan is b"],
    ["a result", "result", "It was there already"],
  ] as const)(
    "%s had been another one: the new agent has it so, and nothing else is changed",
    async (_, kind, content) => {
      const world = await recorded();
      const [event] = await world.kinds("1", kind);
      const at = event!.seq;
      const before = await world.events("1");
      await fork(world, { agent: "1", at, as: "1b", content });
      const past = (await world.events("1b")).slice(0, at);
      expect(textOf(past.at(-1)!)).toBe(content);
      expect(past.slice(0, -1)).toEqual(before.slice(0, at - 1));
      expect(await world.events("1")).toEqual(before);
      expect((await world.events("1b"))[at + 1]).toMatchObject({ kind: "branch", origin: "1", changed: at });
    },
  );

  it("the model is another one: what the last start made of the new agent says so", async () => {
    const world = await recorded();
    const at = (await world.kinds("1", "message"))[0]!.seq;
    await fork(world, { agent: "1", at, as: "1b", model: "another" });
    const record = await readFile(join(world.project, ".ai-legion/agents/1b/agent.json"), "utf8");
    expect(JSON.parse(record)).toMatchObject({ id: "1b", model: "another" });
  });

  it("held: it decides anew, its calls with effects are asked, and what it says to others waits", async () => {
    const world = await recorded();
    const at = (await world.kinds("1", "message"))[0]!.seq;
    await fork(world, { agent: "1", at, as: "1b", content: "The plan is b", held: true });
    const { done, modules } = shop();
    const again = await world.restart({
      "1": { script: () => NOOP },
      "1b": { script: [tell("b"), deploy("b"), NOOP], modules: [...modules, messaging] },
      "2": { script: () => NOOP },
    });
    await questionOf(again, "1b");
    expect(again.legion.questions()).toMatchObject([{ agent: "1b", action: "deploy" }]);
    expect(done).toEqual([]);
    expect((await again.kinds("2", "message")).map(({ message }) => message.content)).toEqual(["a"]);
    await again.legion.approve(again.legion.questions()[0]!.id);
    await again.legion.control.switchMode(["1b"], "usual");
    await again.idle();
    expect(done).toEqual(["b"]);
    expect((await again.kinds("2", "message")).map(({ message }) => message.content)).toEqual(["a", "b"]);
  });

  it("is refused, with nothing made, of the agent itself, of what it said, and of an event that is not there", async () => {
    const world = await recorded();
    const [decision] = await world.kinds("1", "decision");
    const at = (await world.kinds("1", "message"))[0]!.seq;
    const orders: readonly (readonly [ForkOrder, string])[] = [
      [{ agent: "1", at, content: "b" }, "needs a new agent"],
      [{ agent: "1", at, held: true }, "needs a new agent"],
      [
        { agent: "1", at: decision!.seq, as: "1b", content: "b" },
        "cannot be changed: what can be changed is",
      ],
      [{ agent: "1", at: 999, as: "1b", content: "b" }, "there is no event 999"],
    ];
    for (const [order, why] of orders) await expect(world.legion.fork(order)).rejects.toThrow(why);
    expect(await world.events("1b")).toEqual([]);
  });
});
