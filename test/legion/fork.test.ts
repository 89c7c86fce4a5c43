import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { goals } from "../../modules/goals.ts";
import { notes } from "../../modules/notes.ts";
import type { Event } from "../../src/domain/event/event.ts";
import type { ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { createFileReader } from "../../src/storage/files/reader/reader.ts";
import { keysOf, valueOf } from "../../src/past/state.ts";
import { ok } from "../../src/domain/authoring/module.ts";
import { texts as textsOf } from "../domain/event/event-lines.ts";
import { NOOP, story, textOf, work, workshop } from "../workshop.ts";
import { byHand, createWorld, readEvents, type World } from "../world.ts";

const calls = (...actions: readonly [string, object][]): ScriptedAnswer => ({
  calls: actions.map(([action, parameters]) => ({ action, parameters: { ...parameters } })),
});
const goal = (text: string): ScriptedAnswer => calls(["addGoal", { goal: text }]);
const note = (title: string, content: string): ScriptedAnswer => calls(["writeNote", { title, content }]);

/** Where `text` first stands in the result of a call, or the decision that made it. */
const seqOf = (events: readonly Event[], kind: Event["kind"], nth: number): number =>
  events.filter((event) => event.kind === kind)[nth]!.seq;

async function goalsOf(world: World, agent = "1"): Promise<unknown> {
  const { goals: list } = JSON.parse(
    await readFile(join(world.project, `.ai-legion/agents/${agent}/goals.json`), "utf8"),
  ) as { goals: readonly { text: string }[] };
  return list.map(({ text }) => text);
}

const notesOf = async (world: World, agent = "1"): Promise<readonly string[]> =>
  readdir(join(world.project, `.ai-legion/agents/${agent}/notes`)).catch(() => []);

async function fork(world: World, at: number, as?: string): Promise<void> {
  const { done } = await world.legion.fork({ agent: "1", at, ...(as !== undefined && { as }) });
  await done;
}

/** An agent that made three steps, one result each. */
async function threeSteps(more: readonly ScriptedAnswer[] = []): Promise<World> {
  const world = await createWorld({
    1: { script: [goal("one"), note("plan", "walk"), goal("two"), NOOP, ...more, NOOP, NOOP] },
    2: { script: () => NOOP },
  });
  await world.say("1", "Go.");
  await world.idle();
  return world;
}

describe("a fork in the middle of a run", () => {
  it("gives the goals and notes of that moment, in memory and in the files", async () => {
    const world = await threeSteps();
    const events = await world.events("1");
    await fork(world, seqOf(events, "result", 0));
    await world.idle();
    const { state, ledger } = world.agent("1").memory;
    expect(valueOf(state, "goals", "goals")).toMatchObject([{ text: "one" }]);
    expect(keysOf(state, "notes")).toEqual([]);
    expect([await goalsOf(world), await notesOf(world)]).toEqual([["one"], []]);
    // The old branch is never lost.
    expect((await world.events("1")).slice(0, events.length)).toEqual(events);
    expect(ledger.spent.steps).toBe(5);
  });

  it("shows the model what it was shown then, and nothing of what came after", async () => {
    const shown: string[] = [];
    const world = await createWorld({
      1: {
        script: (request) => {
          shown.push(textOf(request));
          return [goal("one"), goal("two"), NOOP, NOOP][shown.length - 1] ?? NOOP;
        },
      },
    });
    await world.say("1", "Go.");
    await world.idle();
    await fork(world, seqOf(await world.events("1"), "result", 0));
    await world.idle();
    expect(shown[3]).toBe(shown[1]);
  });

  it("leads to the end of the decision that the event is part of", async () => {
    const two = calls(["addGoal", { goal: "a" }], ["addGoal", { goal: "b" }]);
    const world = await createWorld({ 1: { script: [two, goal("c"), NOOP, NOOP] } });
    await world.say("1", "Go.");
    await world.idle();
    const events = await world.events("1");
    for (const at of [seqOf(events, "decision", 0), seqOf(events, "result", 0), seqOf(events, "result", 1)]) {
      const { to, done } = await world.legion.fork({ agent: "1", at });
      await done;
      expect(to).toBe(seqOf(events, "result", 1));
    }
    expect(await goalsOf(world)).toEqual(["a", "b"]);
  });

  it("leads to before the decision that is not finished; that one is finished first, where it began", async () => {
    const started = byHand();
    const end = byHand();
    const modules = workshop(async () => {
      started.resolve();
      await end.promise;
      return ok("built");
    });
    const world = await createWorld({ 1: { modules, script: [goal("one"), work("build"), NOOP] } });
    await world.say("1", "Go.");
    await started.promise;
    const events = await world.events("1");
    const forking = await world.legion.fork({ agent: "1", at: seqOf(events, "decision", 1) });
    expect(forking.to).toBe(seqOf(events, "decision", 1) - 1);
    end.resolve();
    await forking.done;
    await world.idle();
    expect(await story(world)).toEqual([
      "message: Go.",
      "decision: 1 calls",
      "ok: Goal added.",
      "decision: 1 calls",
      "ok: built",
      "branch",
      "decision: 1 calls",
      expect.stringContaining("idle"),
    ]);
    expect(textsOf(world.agent("1").memory.view)).not.toContain("built");
  });

  it("can be forked again: later, earlier, and back to what was left", async () => {
    const world = await threeSteps([goal("three"), NOOP, note("other", "x"), NOOP]);
    const events = await world.events("1");
    const results = [0, 1, 2].map((nth) => seqOf(events, "result", nth));
    await fork(world, results[1]!);
    await world.idle();
    expect([await goalsOf(world), await notesOf(world)]).toEqual([["one", "three"], ["plan.txt"]]);
    const tip = world.agent("1").memory.ledger.last;
    await fork(world, results[0]!);
    await world.idle();
    expect([await goalsOf(world), await notesOf(world)]).toEqual([["one"], ["other.txt"]]);
    await fork(world, results[2]!);
    expect([await goalsOf(world), await notesOf(world)]).toEqual([["one", "two"], ["plan.txt"]]);
    await fork(world, tip);
    expect([await goalsOf(world), await notesOf(world)]).toEqual([["one", "three"], ["plan.txt"]]);
    const again = await world.restart();
    const state = await createFileReader(again.project).state("1", [goals, notes]);
    expect(valueOf(state, "goals", "goals")).toMatchObject([{ text: "one" }, { text: "three" }]);
    expect(await again.kinds("1", "edited")).toEqual([]);
  });

  it("rests where it rested then, and goes on where it did not", async () => {
    const world = await threeSteps();
    const running = world.agent("1").memory.ledger.last;
    await world.legion.agents.get("1")!.pause("by Control");
    const paused = world.agent("1").memory.ledger.last;
    await fork(world, running);
    expect(world.agent("1").memory.conversation.halt).toBeUndefined();
    const { done } = await world.legion.fork({ agent: "1", at: paused });
    expect(await done).toMatchObject({ halt: { reason: "paused" } });
    expect(world.agent("1").memory.conversation.halt?.reason).toBe("paused");
  });

  it("is refused for an event that is not there, and nothing is written", async () => {
    const world = await threeSteps();
    const { last } = world.agent("1").memory.ledger;
    await expect(fork(world, last + 1)).rejects.toMatchObject({
      code: "USAGE",
      message: `there is no event ${last + 1}: the log of Agent 1 ends at ${last}`,
    });
    await expect(world.legion.fork({ agent: "9", at: 1 })).rejects.toMatchObject({ code: "USAGE" });
    await expect(world.legion.fork({ agent: "0", at: 1 })).rejects.toMatchObject({ code: "USAGE" });
    expect(await world.kinds("1", "branch")).toEqual([]);
  });

  it("recalls what lies on its own branch, and nothing of the other", async () => {
    const found: string[][] = [];
    const world = await createWorld({
      1: {
        script: [
          note("early", "pear"),
          note("late", "pear"),
          NOOP,
          calls(["recall", { query: "pear" }]),
          NOOP,
        ],
      },
    });
    await world.say("1", "Go.");
    await world.idle();
    await fork(world, seqOf(await world.events("1"), "result", 0));
    await world.idle();
    for (const { content } of await world.kinds("1", "result"))
      if (content.includes("pear")) found.push(content.match(/early|late/g) ?? []);
    expect(found).toEqual([["early"]]);
  });
});

describe("a file of an agent that is forked", () => {
  const path = (world: World): string => join(world.project, ".ai-legion/agents/1/goals.json");
  const mine = JSON.stringify({ goals: [{ text: "mine", complete: false }] });

  it.each(["before the fork", "after it, while nobody runs the agent"])(
    "wins where it is edited %s",
    async (when) => {
      const world = await threeSteps();
      const first = seqOf(await world.events("1"), "result", 0);
      if (when === "before the fork") await writeFile(path(world), mine);
      const { done } = await world.legion.fork({ agent: "1", at: first });
      const forked = await done;
      await world.stop();
      if (when !== "before the fork") await writeFile(path(world), mine);
      else expect(forked.edited).toEqual([["goals", "goals"]]);
      const again = await world.restart();
      expect(await goalsOf(again)).toEqual(["mine"]);
      expect(valueOf(again.agent("1").memory.state, "goals", "goals")).toMatchObject([{ text: "mine" }]);
      expect(await again.kinds("1", "edited")).toHaveLength(1);
      expect(await notesOf(again)).toEqual([]);
    },
  );

  it.each(["as it was", "gone", "edited"])("that a crash left %s at the fork is put right", async (left) => {
    const world = await threeSteps();
    const first = seqOf(await world.events("1"), "result", 0);
    // The process dies with the event in the log, and no file written.
    await world.legion.agents.get("1")!.alone(({ memory }) => memory.commit({ kind: "branch", to: first }));
    await world.stop();
    if (left === "gone") await rm(path(world));
    if (left === "edited") await writeFile(path(world), mine);
    const again = await world.restart();
    const expected = { "as it was": ["one"], gone: undefined, edited: ["mine"] }[left];
    expect(await goalsOf(again).catch(() => undefined)).toEqual(expected);
    expect(await again.kinds("1", "edited")).toHaveLength(left === "as it was" ? 0 : 1);
    expect(await notesOf(again)).toEqual([]);
  });
});

it("numbers go on after a fork: no message is lost or taken for a duplicate", async () => {
  const write = (text: string): ScriptedAnswer =>
    calls(["sendMessage", { targetAgentId: "2", message: text }]);
  const world = await createWorld({
    1: { script: [write("a"), write("b"), NOOP, write("c"), NOOP, write("d"), NOOP] },
    2: { script: () => NOOP },
  });
  await world.say("1", "Go.");
  await world.idle();
  const events = await readEvents(world.project, "1");
  await fork(world, seqOf(events, "result", 0));
  await world.idle();
  const again = await world.restart({ 1: { script: [write("d"), NOOP] }, 2: { script: () => NOOP } });
  await again.say("1", "Again.");
  await again.idle();
  const got = (await again.kinds("2", "message")).map(({ message }) => [message.id, message.content]);
  expect(got).toEqual([
    ["1>2#1", "a"],
    ["1>2#2", "b"],
    ["1>2#3", "c"],
    ["1>2#4", "d"],
  ]);
  expect((await again.kinds("1", "message")).map(({ message }) => message.content)).toEqual([
    "Go.",
    "Again.",
  ]);
});
