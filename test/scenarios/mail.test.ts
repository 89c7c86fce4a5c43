// Mail through a whole legion: everybody's, at once, and what is left of it when files are deleted.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentId } from "../../src/domain/message/message.ts";
import type { ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { createWorld, openWorld, type World, type WorldAgent } from "../world.ts";

const idle: WorldAgent = { script: () => ({ calls: [{ action: "noop" }] }) };

/** Sends what it is told to, `<to>: <content>` a line. */
const courier: WorldAgent = {
  script({ turns }): ScriptedAnswer {
    const last = turns.at(-1);
    if (last?.role !== "user") return { calls: [{ action: "noop" }] };
    const orders = [...last.text.matchAll(/^(\w+): (.*)$/gm)];
    const calls = orders.map(([, targetAgentId, message]) => ({
      action: "sendMessage",
      parameters: { targetAgentId, message },
    }));
    return { calls: calls.length > 0 ? calls : [{ action: "noop" }] };
  },
};

async function received(world: World, agent: AgentId): Promise<string[]> {
  return (await world.kinds(agent, "message")).map(({ message }) => message.content);
}

describe("a thousand messages", () => {
  const senders = Array.from({ length: 9 }, (_, n) => `s${n + 1}`);
  const receivers = ["r1", "r2", "r3", "r4", "r5"];
  const EACH = 20;

  it("from ten senders at once are in five agents' logs exactly once, in order per sender", async () => {
    /** One message to everybody, then the next one. */
    const script = (_: unknown, index: number): ScriptedAnswer => {
      if (index >= EACH) return { calls: [{ action: "noop" }] };
      const calls = receivers.map((targetAgentId) => ({
        action: "sendMessage",
        parameters: { targetAgentId, message: String(index) },
      }));
      return { calls };
    };
    const world = await createWorld({
      ...Object.fromEntries(senders.map((id) => [id, { script }])),
      ...Object.fromEntries(receivers.map((id) => [id, idle])),
    });
    const control = Array.from({ length: EACH }, (_, n) => world.say(receivers, String(n)));
    await world.say(senders, "Go.");
    await Promise.all(control);
    await world.idle();
    const inOrder = Array.from({ length: EACH }, (_, n) => String(n));
    for (const id of receivers) {
      const mail = await world.kinds(id, "message");
      expect(mail).toHaveLength(EACH * 10);
      for (const sender of [...senders, "0"]) {
        const fromOne = mail.filter(({ message }) => message.id.startsWith(`${sender}>`));
        expect(fromOne.map(({ message }) => message.content)).toEqual(inOrder);
        expect(fromOne.map(({ message }) => message.id)).toEqual(
          inOrder.map((_, n) => `${sender}>${id}#${n + 1}`),
        );
      }
    }
    for (const id of senders) expect(world.agent(id).outbox.undelivered()).toEqual([]);
  });
});

describe("mail after files were deleted between two runs", () => {
  /** Agent 1 has sent `one`, `two` and `three` to agent 2, which has read the first or all of them. */
  async function begin(read: "first" | "all"): Promise<World> {
    const world = await createWorld({ 1: courier, 2: idle });
    await world.say("1", "2: one");
    await world.idle();
    if (read === "first") await world.legion.agents.get("2")!.pause("by the test");
    await world.say("1", "2: two\n2: three");
    await world.idle();
    await world.stop();
    expect(await received(world, "2")).toEqual(read === "all" ? ["one", "two", "three"] : ["one"]);
    return world;
  }
  const remove = (world: World, ...path: readonly string[]): Promise<void> =>
    rm(join(legionPaths(world.project).agents, ...path), { recursive: true });

  async function goOn(before: World, order: string): Promise<World> {
    const world = await openWorld(before.project, { 1: courier, 2: idle });
    const paused = world.agent("2").memory.conversation.halt !== undefined;
    if (paused) await world.legion.agents.get("2")!.resume();
    await world.say("1", order);
    await world.idle();
    return world;
  }

  it("comes again from the sender's log where the mailbox is gone", async () => {
    const first = await begin("first");
    await remove(first, "2", "mailbox");
    const world = await goOn(first, "2: four");
    expect(await received(world, "2")).toEqual(["one", "two", "three", "four"]);
    const ids = (await world.kinds("2", "message")).map(({ message }) => message.id);
    expect(ids).toEqual(["1>2#1", "1>2#2", "1>2#3", "1>2#4"]);
  });

  it("is waiting where only the reader's log is gone", async () => {
    const first = await begin("first");
    await remove(first, "2", "log");
    const world = await goOn(first, "2: four");
    expect((await received(world, "2")).slice(-3)).toEqual(["two", "three", "four"]);
  });

  it("begins with the first number that a new log is offered", async () => {
    const first = await begin("all");
    await remove(first, "2", "log");
    const world = await goOn(first, "2: four");
    expect((await world.kinds("2", "message")).map(({ message }) => message.id)).toEqual(["1>2#4"]);
  });

  it("is taken for no duplicate where the recipient was reset", async () => {
    const first = await begin("all");
    await remove(first, "2");
    const world = await goOn(first, "2: four\n2: five");
    expect(await received(world, "2")).toEqual(["four", "five"]);
  });

  it("is taken for no duplicate where the sender was reset and counts from 1 again", async () => {
    const first = await begin("all");
    await remove(first, "1");
    const world = await goOn(first, "2: four\n2: five");
    expect(await received(world, "2")).toEqual(["one", "two", "three", "four", "five"]);
    const ids = (await world.kinds("2", "message")).map(({ message }) => message.id);
    expect(ids).toEqual(["1>2#1", "1>2#2", "1>2#3", "1>2#1", "1>2#2"]);
  });

  it("goes on where Control was reset", async () => {
    const first = await begin("all");
    await remove(first, "0");
    const world = await goOn(first, "2: four");
    expect(await received(world, "2")).toEqual(["one", "two", "three", "four"]);
    expect(await received(world, "1")).toEqual(["2: one", "2: two\n2: three", "2: four"]);
  });
});
