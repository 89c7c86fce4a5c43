import { cpSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SpokenLane } from "../../../src/domain/message/message.ts";
import { describeDifference } from "../../../src/legion/replay/difference.ts";
import { createScriptedModel } from "../../../src/model/scripted/scripted.ts";
import { deadLettersIn } from "../../../src/past/mail/dead-letters.ts";
import { replay, replayLegion } from "../../legion/replay/replays.ts";
import { NOOP, story, textOf, work } from "../../workshop.ts";
import { createWorld, createWorldInMemory, openWorld, temporaryFolder, type World } from "../../world.ts";
import { doing, MOMENTS, REST } from "./moments.ts";

const speak =
  (world: World) =>
  (lane: SpokenLane, content: string): Promise<readonly string[]> =>
    world.legion.control.say(["1"], content, lane);

async function* inOrder<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

describe("follow-ups", () => {
  it("are read one at a time, oldest first, each when all that came before is done (A5)", async () => {
    const script = [work("1"), NOOP, work("2"), work("3"), NOOP, NOOP];
    const model = createScriptedModel(script);
    const world = await createWorldInMemory({ 1: { model, modules: doing } });
    await world.legion.agents.get("1")!.pause("by a test");
    const say = speak(world);
    await say("follow-up", "Then this.");
    await say("follow-up", "Then that.");
    await say("normal", "First.");
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    const texts = model.requests.map(textOf);
    expect(
      texts.map(
        (text) => ["First.", "Then this.", "Then that."].filter((word) => text.includes(word)).length,
      ),
    ).toEqual([1, 1, 2, 2, 2, 3]);
    expect(texts[2]!.indexOf("Then this.")).toBeGreaterThan(texts[2]!.indexOf("First."));
  });

  it("wait after an abort until the agent has decided again (A5)", async () => {
    const { world, goOn } = await MOMENTS["in the first call"]();
    const say = speak(world);
    await say("follow-up", "Later.");
    await say("abort", "Stop.");
    await goOn();
    expect(await story(world)).not.toContain("released");
    await say("normal", "Go on.");
    await world.idle();
    expect((await story(world)).slice(-6)).toEqual([
      "message: Go on.",
      "decision: 1 calls",
      "idle: ",
      "released",
      "decision: 1 calls",
      "idle: ",
    ]);
  });

  it("are withdrawn by a steer, held or on their way, never shown, and the person is told (A2)", async () => {
    const { world, goOn } = await MOMENTS["in the first call"]();
    const say = speak(world);
    await say("follow-up", "Old plan.");
    await say("normal", "By the way.");
    await say("follow-up", "Old plan, part two.");
    await say("steer", "New plan.");
    await say("follow-up", "After the new plan.");
    await goOn();
    const letters = await deadLettersIn("1", inOrder(await world.events("1")));
    expect(letters.map(({ message, why }) => [message.content, why])).toEqual([
      ["Old plan.", "New instructions came before it was read."],
      ["Old plan, part two.", "New instructions came before it was read."],
    ]);
    expect((await world.kinds("1", "released")).map(({ messages }) => messages.length)).toEqual([1]);
    await world.until(({ agent, kind }) => kind === "event" && agent === "0");
    const [told] = await world.kinds("0", "message");
    expect(told?.message.content).toMatch(/^2 follow-ups to Agent 1 will not be read: your new instructions/);
  });

  it("are told of once, also by a process that ends as soon as they are withdrawn (A2)", async () => {
    const agents = { 1: { script: REST } };
    const world = await createWorld(agents);
    const left = join(await temporaryFolder(), "left");
    await world.legion.agents.get("1")!.pause("by a test");
    await speak(world)("follow-up", "Never.");
    await speak(world)("steer", "Now.");
    world.legion.inspector.watch((seen) => {
      if (seen.agent === "1" && seen.kind === "event" && seen.event.kind === "message" && !seen.event.held)
        cpSync(world.project, left, { recursive: true });
    });
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    await world.stop();
    // Its holder lives, and has nothing to do with the copy.
    const lock = join(left, ".ai-legion/lock/1");
    await writeFile(lock, JSON.stringify({ ...JSON.parse(await readFile(lock, "utf8")), released: true }));
    for (const project of [world.project, left]) {
      await (await openWorld(project, agents)).stop();
      const next = await openWorld(project, agents);
      await next.idle();
      const told = (await next.kinds("0", "message")).map(({ message }) => message.content);
      expect(told.filter((text) => text.startsWith("1 follow-up to Agent 1 will not be read"))).toHaveLength(
        1,
      );
      await next.stop();
    }
  });

  it("count from their release for what the agent answers, and not before", async () => {
    const answerAll = createScriptedModel((_, index) => `answer ${index}`);
    const world = await createWorldInMemory({ 1: { model: answerAll } });
    await world.legion.agents.get("1")!.pause("by a test");
    const say = speak(world);
    await say("follow-up", "Later.");
    await say("normal", "Now.");
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    const sends = (await world.kinds("1", "decision")).flatMap(({ sends = [] }) => sends);
    expect(sends.map(({ content, re, cause }) => [content, re, cause])).toEqual([
      ["answer 0", "0>1#2", "0>1#2"],
      ["answer 1", "0>1#1", "0>1#1"],
    ]);
  });

  it("stay held over a restart, go back to held with a fork before their release, and are nothing to a copy", async () => {
    const agents = { 1: { script: [NOOP, ...REST] } };
    let world = await createWorld(agents);
    await world.say("1", "Go.");
    await world.idle();
    await world.legion.agents.get("1")!.pause("by a test");
    await speak(world)("follow-up", "Later.");
    world = await world.restart();
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    const events = await world.events("1");
    const held = events.find((event) => event.kind === "message" && event.held)!;
    const { done } = await world.legion.fork({ agent: "1", at: held.seq });
    await done;
    await world.idle();
    expect(await world.kinds("1", "released")).toHaveLength(2);
    const copied = await world.legion.fork({ agent: "1", at: held.seq, as: "1b" });
    await copied.done;
    await world.stop();
    world = await world.restart({ "1b": { script: REST } });
    await world.idle();
    expect((await world.kinds("1b", "message")).filter((message) => message.held)).toHaveLength(1);
    expect(await world.kinds("1b", "released")).toEqual([]);
    await (
      await world.legion.fork({ agent: "1b", at: held.seq })
    ).done;
    await world.idle();
    expect(await world.kinds("1b", "released")).toEqual([]);
  });

  it("of a megabyte, and very many, are taken and read", async () => {
    const model = createScriptedModel(() => NOOP);
    const world = await createWorldInMemory({ 1: { model } });
    const say = speak(world);
    await say("follow-up", "x".repeat(1_048_576));
    for (let n = 0; n < 200; n++) await say("follow-up", `follow-up ${n}.`);
    await world.idle();
    expect(await world.kinds("1", "released")).toHaveLength(201);
    expect(textOf(model.requests.at(-1)!)).toContain("follow-up 199.");
  });

  it("are in a replay as they were recorded, with what withdrew them", async () => {
    const agent = { script: REST };
    const world = await createWorld({ 1: agent });
    const say = speak(world);
    await world.say("1", "Go.");
    await say("follow-up", "Later.");
    await world.idle();
    await world.legion.agents.get("1")!.pause("by a test");
    await say("follow-up", "Never.");
    await say("steer", "Now.");
    await say("follow-up", "At last.");
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    await world.stop();
    const alone = await replay(world.project, "1", agent);
    const whole = await replayLegion(world.project, { 1: agent });
    for (const { difference } of [alone, whole])
      expect(difference && describeDifference(difference)).toBeUndefined();
    expect(whole.decisions).toBe((await world.kinds("1", "decision")).length);
  });
});

describe("the memory of an agent", () => {
  it("holds nothing of mail that it was not shown", async () => {
    const recall = { calls: [{ action: "recall", parameters: { query: "secret" } }] };
    const model = createScriptedModel([recall, NOOP, NOOP]);
    const world = await createWorldInMemory({ 1: { model } });
    await world.legion.agents.get("1")!.pause("by a test");
    const say = speak(world);
    await say("follow-up", "secret");
    await say("normal", "Go.");
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    const [found] = await world.kinds("1", "result");
    expect(found!.content).not.toContain("MESSAGE");
  });

  it("reopens what was released by the number that a summary gives it", async () => {
    const here: { world?: World } = {};
    const model = createScriptedModel(async (_, index) => {
      const [released] = index === 0 ? await here.world!.kinds("1", "released") : [];
      return released ? { calls: [{ action: "recall", parameters: { event: released.seq } }] } : NOOP;
    });
    const world = (here.world = await createWorldInMemory({ 1: { model } }));
    await speak(world)("follow-up", "Paint the door.");
    await world.idle();
    const [reopened] = await world.kinds("1", "result");
    expect(reopened).toMatchObject({ outcome: "ok", content: expect.stringContaining("Paint the door.") });
  });
});
