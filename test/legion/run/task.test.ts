// One agent with one task, up to each of its ends: real logs and commands, only the model is scripted.

import { describe, expect, it } from "vitest";
import type { EndStatus } from "../../../src/domain/event/ending.ts";
import type { Mode } from "../../../src/domain/supervision.ts";
import type { Script, ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { takeUp, untilOver } from "../../../src/legion/run/task.ts";
import { replay, replayLegion } from "../replay/replays.ts";
import { byHand, type World, type WorldAgent } from "../../world.ts";
import { attend, bash, BASH, ends, PATIENCE, SUBMIT, worldOf, type Case } from "./tasks.ts";

it("is not gone on with past what stopped its agent since this process began: the person is told first", async () => {
  const { world, model } = await worldOf({ script: [bash("echo 1"), SUBMIT] });
  const supervised = world.legion.agents.get("1")!;
  await supervised.alone(({ memory }) =>
    memory.commit({ kind: "notice", reason: "parked", content: "cut off", details: { end: "Error" } }),
  );
  const { over } = attend(world, "mend it");
  expect(await over).toMatchObject({ status: "Error", reason: "cut off" });
  expect(model.requests).toEqual([]);
  const again = await world.restart({ 1: { model, bash: BASH } });
  expect(await attend(again, undefined).over).toMatchObject({ status: "Submitted" });
});

describe("a task", () => {
  const noAction: ScriptedAnswer = "I am thinking.";
  const ordinary = { bash: undefined };
  const rows: readonly (readonly [EndStatus, string, Case, object])[] = [
    [
      "Submitted",
      "by a command",
      { script: [bash("echo 1"), SUBMIT] },
      { submission: "a patch\n", reason: "" },
    ],
    [
      "Submitted",
      "by an answer",
      { script: ["It is done."], agent: ordinary },
      { submission: "It is done.", reason: "" },
    ],
    [
      "LimitsExceeded",
      "in steps",
      { script: () => bash("echo 1"), agent: { limits: { steps: 2 } } },
      { submission: "", reason: "this agent may make 2 model calls." },
    ],
    [
      "LimitsExceeded",
      "in steps that held no command",
      { script: () => noAction, agent: { limits: { steps: 2 } } },
      { reason: "this agent may make 2 model calls." },
    ],
    [
      "LimitsExceeded",
      "in tokens of the legion",
      { script: () => bash("echo 1"), options: { limits: { tokens: 100 } } },
      { reason: "the legion may use 100 tokens." },
    ],
    [
      "LimitsExceeded",
      "in turns",
      { script: () => bash("echo 1"), agent: { limits: { turns: 1 } } },
      { reason: expect.stringContaining("1 decision for one instruction") },
    ],
    [
      "TimeExceeded",
      "at work",
      { script: () => bash("sleep 0.1"), agent: { limits: { timeMs: 50 } } },
      { reason: "this agent may work for 50ms." },
    ],
    [
      "RepeatedFormatError",
      "in a row",
      { script: () => noAction },
      { reason: "3 completions in a row held no action" },
    ],
    [
      "ContextExceeded",
      "by output",
      { script: () => bash("head -c 6000 /dev/zero | tr '\\0' x"), agent: { profile: { window: 8_000 } } },
      { reason: expect.stringContaining("fills the window") },
    ],
    [
      "Error",
      "of a model that refuses",
      { script: () => ({ error: { code: "MODEL_REFUSED", message: "no key" } }) },
      { reason: "no key" },
    ],
    [
      "Error",
      "of an agent without a word",
      { script: [], agent: ordinary },
      { reason: expect.stringContaining("without an answer") },
    ],
  ];

  it.each(rows)("ends with %s %s, as its log says, once", async (status, _, given, end) => {
    const { world } = await worldOf(given);
    const expected = { status, ...end };
    expect(await attend(world, "mend it").over).toMatchObject(expected);
    const [notice, ...others] = await ends(world);
    const { submission = "" } = end as { readonly submission?: string };
    expect(notice).toMatchObject({ details: { status, submission } });
    expect(others).toEqual([]);
    const again = await world.restart({ 1: { ...given.agent, bash: BASH, ...given.agent, script: [] } });
    const workshop = { legion: again.legion, agent: "1" };
    expect(await untilOver(workshop, new AbortController().signal, PATIENCE)).toMatchObject(expected);
    expect(await ends(again)).toHaveLength(1);
  });

  it("ends with UserInterruption where a person aborts it, also while it waits", async () => {
    const asked = byHand();
    const { world } = await worldOf({ script: () => (asked.resolve(), new Promise(() => undefined)) });
    const { over } = attend(world, "mend it");
    await asked.promise;
    await world.legion.control.say(["1"], "", "abort");
    expect(await over).toMatchObject({ status: "UserInterruption", submission: "" });
  });

  it("ends with UserInterruption where a person pauses it", async () => {
    const { world } = await worldOf({ script: () => bash("echo 1; sleep 0.01") });
    const { over } = attend(world, "mend it");
    await world.until(({ kind }) => kind === "live:call");
    await world.legion.agents.get("1")!.pause("wait");
    expect(await over).toMatchObject({ status: "UserInterruption", reason: "wait" });
  });

  it("has no end where somebody stops its agent, or gives up waiting", async () => {
    const asked = byHand();
    const { world } = await worldOf({ script: () => (asked.resolve(), new Promise(() => undefined)) });
    const { over, stop } = attend(world, "mend it");
    await asked.promise;
    stop.abort();
    expect(await over).toBeUndefined();
    const other = attend(world, undefined).over;
    world.legion.interrupt();
    expect(await other).toBeUndefined();
    expect(await ends(world)).toEqual([]);
  });

  it("keeps an end of any length", async () => {
    const long = "x".repeat(200_000);
    const { world } = await worldOf({ script: [long], agent: ordinary });
    expect(await attend(world, "write").over).toMatchObject({ status: "Submitted", submission: long });
    expect((await ends(world))[0]).toMatchObject({ details: { submission: long } });
  });

  it("has the end that its log comes to where a process died before it said so", async () => {
    const { world } = await worldOf({ script: [SUBMIT] });
    await world.say("1", "mend it");
    await world.idle();
    expect(await ends(world)).toEqual([]);
    const again = await world.restart();
    expect(await attend(again, undefined).over).toMatchObject({
      status: "Submitted",
      submission: "a patch\n",
    });
    expect((await again.kinds("1", "message")).length).toBe(1);
    expect(await ends(again)).toHaveLength(1);
  });

  it("is replayed from its log, its end included", async () => {
    const { world } = await worldOf({ script: [bash("echo 1"), SUBMIT, SUBMIT] });
    await attend(world, "mend it").over;
    await attend(world, "and again").over;
    await world.stop();
    expect(await replay(world.project, "1", { bash: BASH })).toEqual({ decisions: 3 });
    expect(await replayLegion(world.project, { 1: { bash: BASH } })).toMatchObject({
      decisions: 3,
      difference: undefined,
    });
  });
});

describe("how a task is watched over where nobody said it", () => {
  const open = async () => (await worldOf({ script: [SUBMIT] })).world;
  const watched = async (world: World): Promise<readonly [Mode, boolean]> => {
    await world.idle();
    const { mode, isModeSaid } = world.agent("1").memory.conversation.run;
    return [mode, isModeSaid];
  };

  it("is no word of the person, and ends with the process that settled it", async () => {
    const world = await open();
    await takeUp({ legion: world.legion, agent: "1" }, { task: "mend it", watch: { mode: "yolo" } });
    expect(await watched(world)).toEqual(["yolo", false]);
    const again = await world.restart();
    expect(await watched(again)).toEqual(["usual", false]);
    await again.stop();
    expect(await replay(again.project, "1", { bash: BASH })).toEqual({ decisions: 1 });
    const replayed = await replayLegion(again.project, { 1: { bash: BASH } });
    expect(replayed).toMatchObject({ decisions: 1, difference: undefined });
  });

  it("stays where it asks for more", async () => {
    const world = await open();
    await takeUp({ legion: world.legion, agent: "1" }, { watch: { mode: "confirm" } });
    expect(await watched(world)).toEqual(["confirm", true]);
    expect(await watched(await world.restart())).toEqual(["confirm", true]);
  });

  it("undoes no word of the person by what goes without saying", async () => {
    const world = await open();
    await world.legion.control.switchMode(["1"], "yolo");
    expect(await watched(world)).toEqual(["yolo", true]);
    const again = await world.restart();
    await takeUp({ legion: again.legion, agent: "1" }, { watch: { mode: "usual" } });
    expect(await watched(again)).toEqual(["yolo", true]);
  });
});

describe("a task that is gone on with", () => {
  it.each<readonly [string, Case, Partial<WorldAgent>]>([
    [
      "a limit, with a higher one",
      { script: () => bash("echo 1"), agent: { limits: { steps: 2 } } },
      { limits: { steps: 9 } },
    ],
    [
      "its turns",
      { script: () => bash("echo 1"), agent: { limits: { turns: 2 } } },
      { limits: { turns: 2 } },
    ],
    ["replies without a command", { script: () => "no" }, {}],
    ["a model that refuses", { script: () => ({ error: { code: "MODEL_REFUSED", message: "no key" } }) }, {}],
    ["a rest without a word", { script: [], agent: { bash: undefined } }, { bash: BASH }],
  ])("goes on after %s, without new words unless it would rest", async (_, before, today) => {
    const { world } = await worldOf(before);
    expect(await attend(world, "mend it").over).not.toMatchObject({ status: "Submitted" });
    const { steps } = world.agent("1").memory.ledger.spent;
    const again = await world.restart({ 1: { bash: BASH, ...before.agent, ...today, script: [SUBMIT] } });
    expect(await attend(again, undefined).over).toMatchObject({
      status: "Submitted",
      submission: "a patch\n",
    });
    expect(again.agent("1").memory.ledger.spent.steps).toBe(steps + 1);
    const said = (await again.kinds("1", "message")).map(({ message }) => message.content);
    const isAtRest = before.agent && "bash" in before.agent;
    expect(said).toEqual(["mend it", ...(isAtRest ? ["Go on with your task."] : [])]);
    expect((await ends(again)).map(({ details }) => (details as { status: string }).status).at(-1)).toBe(
      "Submitted",
    );
  });

  it("goes on at a word where it was aborted", async () => {
    const asked = byHand();
    const script: Script = (_, index) =>
      index > 0 ? SUBMIT : (asked.resolve(), new Promise(() => undefined));
    const { world } = await worldOf({ script });
    const { over } = attend(world, "mend it");
    await asked.promise;
    await world.legion.control.say(["1"], "", "abort");
    await over;
    expect(await attend(world, undefined).over).toMatchObject({ status: "Submitted" });
    const words = (await world.kinds("1", "message")).map(({ message }) => message.content);
    expect(words).toEqual(["mend it", "", "Go on with your task."]);
  });

  it("takes a new task, and its answer for the end", async () => {
    const { world } = await worldOf({ script: ["First.", "Second."], agent: { bash: undefined } });
    expect(await attend(world, "one").over).toMatchObject({ submission: "First." });
    expect(await attend(world, "two").over).toMatchObject({ submission: "Second." });
    expect(await ends(world)).toHaveLength(2);
  });
});
