// What a person did to an agent's past is part of its tape: branches of its own, and the past of another.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NOOP } from "../../workshop.ts";
import { byHand, createWorld, openWorld, readEvents, type World, type WorldAgent } from "../../world.ts";
import { describeDifference } from "../../../src/legion/replay/difference.ts";
import { promptAt } from "../../../src/legion/replay/past-prompt.ts";
import { createBranch as createTip } from "../../../src/past/fold.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import type { AgentId } from "../../../src/domain/message/message.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { calls, modulesWith, never } from "./recorded.ts";
import { replay, replayLegion } from "./replays.ts";

const goal = (text: string): ScriptedAnswer => calls(["addGoal", { goal: text }]);
const note = (title: string): ScriptedAnswer => calls(["writeNote", { title, content: title }]);
const write = (to: AgentId, message: string): ScriptedAnswer =>
  calls(["sendMessage", { targetAgentId: to, message }]);

type Cast = Readonly<Record<AgentId, WorldAgent>>;

async function decisionsIn(world: World, id: AgentId): Promise<number> {
  return (await world.kinds(id, "decision")).length;
}

/** Each agent alone, and all of them together: as many decisions as `counts` says, in other logs with the same branches. */
async function expectIdentical(
  world: World,
  cast: Cast,
  counts: Readonly<Record<AgentId, number>>,
): Promise<void> {
  await world.stop();
  for (const [id, agent] of Object.entries(cast)) {
    const alone = await replay(world.project, id, agent);
    expect(alone.difference && describeDifference(alone.difference)).toBe(undefined);
    expect(alone.decisions).toBe(counts[id]);
  }
  const together = await replayLegion(world.project, cast);
  expect(together.difference && describeDifference(together.difference)).toBe(undefined);
  expect(together.decisions).toBe(Object.values(counts).reduce((sum, count) => sum + count, 0));
  for (const [id, agent] of Object.entries(cast)) {
    expect(await tipOf(together.project, id)).toEqual(await tipOf(world.project, id));
    const again = await replay(together.project, id, agent);
    expect(again.difference && describeDifference(again.difference)).toBe(undefined);
  }
}

/** Goals and notes at the end, and what the model was shown last. */
async function tipOf(project: string, id: AgentId): Promise<object> {
  const reader = createFileReader(project);
  const { modules } = (await reader.follow(id, createTip)).branch.state;
  const last = (await readEvents(project, id)).findLast(({ kind }) => kind === "prompted");
  return { modules, shown: last && (await promptAt(reader, id, last.seq)).turns };
}

async function fork(world: World, at: number, as?: AgentId): Promise<void> {
  const { done } = await world.legion.fork({ agent: "1", at, ...(as !== undefined && { as }) });
  await done;
}

async function resultsOf(world: World): Promise<readonly number[]> {
  return (await world.kinds("1", "result")).map(({ seq }) => seq);
}

/** Agent 1 took four steps, two of which agent 2 got mail from; `more` it takes on its other branches. */
async function fourSteps(more: readonly ScriptedAnswer[]): Promise<{ world: World; cast: Cast }> {
  const cast: Cast = {
    1: { script: [goal("one"), write("2", "a"), note("plan"), write("2", "b"), NOOP, ...more] },
    2: { script: () => NOOP },
  };
  const world = await createWorld(cast);
  await world.say("1", "Go.");
  await world.idle();
  return { world, cast };
}

describe("a replay of an agent that was forked", () => {
  it("goes through all of its branches, in the order in which it was on them", async () => {
    const { world, cast } = await fourSteps([goal("other"), write("2", "c"), NOOP, "Good."]);
    await fork(world, (await resultsOf(world))[0]!);
    await world.idle();
    await world.say("1", "And?");
    await world.idle();
    const seqs = (await world.kinds("1", "decision")).map(({ seq }) => seq);
    await expectIdentical(world, cast, { 1: seqs.length, 2: await decisionsIn(world, "2") });
    for (const [index, to] of seqs.entries())
      expect(await replay(world.project, "1", cast["1"]!, { to })).toEqual({ decisions: index + 1 });
  });

  it("goes back to what was left as well, and over starts of the process", async () => {
    const { world, cast } = await fourSteps([goal("other"), NOOP, goal("third"), NOOP, note("late"), NOOP]);
    const [first, , third] = await resultsOf(world);
    await fork(world, first!);
    await world.idle();
    const tip = world.agent("1").memory.ledger.last;
    await fork(world, third!);
    await world.idle();
    await world.stop();
    const nobody = await openWorld(world.project, {});
    await fork(nobody, tip);
    await nobody.stop();
    const again = await world.restart({ ...cast, 1: { script: [note("last"), NOOP] } });
    await again.say("1", "Go on.");
    await again.idle();
    await expectIdentical(again, cast, {
      1: await decisionsIn(again, "1"),
      2: await decisionsIn(again, "2"),
    });
  });

  it("finds the first difference also behind a branch", async () => {
    const { world, cast } = await fourSteps([goal("other"), NOOP]);
    await fork(world, (await resultsOf(world))[0]!);
    await world.idle();
    await world.stop();
    const limited = {
      ...cast["1"],
      modules: modulesWith(never).map((module) => ({
        ...module,
        ...(module.name === "goals" && {
          pinnedMessage: (host: Parameters<NonNullable<typeof module.pinnedMessage>>[0]) => {
            const pinned = module.pinnedMessage!(host) as string;
            return pinned.includes("other") ? `${pinned}\nHurry.` : pinned;
          },
        }),
      })),
    };
    const modules = modulesWith(never).slice(0, -1);
    expect(await replay(world.project, "1", { ...cast["1"], modules })).toMatchObject({ decisions: 7 });
    const today = { ...limited, modules: limited.modules.slice(0, -1) };
    const seq = (await world.kinds("1", "decision")).at(-1)!.seq;
    const alone = await replay(world.project, "1", today);
    expect(alone).toMatchObject({
      decisions: 6,
      difference: { seq, part: `decision ${seq}: pinned messages` },
    });
    const together = await replayLegion(world.project, { ...cast, 1: today });
    expect(together.difference).toEqual(alone.difference);
  });

  it("leaves what was not finished where it was left", async () => {
    const started = byHand();
    const thinking = byHand();
    const hang = async (): Promise<void> => {
      started.resolve();
      await new Promise<void>(() => undefined);
    };
    const cast: Cast = {
      1: { script: [goal("one"), calls(["touch", { step: "a" }])], modules: modulesWith(never) },
    };
    const world = await createWorld({ 1: { ...cast["1"], modules: modulesWith(hang) } });
    await world.say("1", "Go.");
    await started.promise;
    world.legion.interrupt();
    await world.stop();
    const early = (await resultsOf(world))[0]!;
    await forkAtRest(world, early);
    const second = await world.restart({
      1: {
        ...cast["1"],
        script: async () => {
          thinking.resolve();
          return new Promise<ScriptedAnswer>(() => undefined);
        },
      },
    });
    await thinking.promise;
    second.legion.interrupt();
    await second.stop();
    await forkAtRest(second, early);
    const third = await second.restart({ 1: { ...cast["1"], script: [goal("two"), NOOP] } });
    await third.idle();
    expect((await third.kinds("1", "branch")).map(({ to }) => to)).toEqual([early, early]);
    expect((await third.kinds("1", "result")).map(({ outcome }) => outcome)).toEqual(["ok", "ok", "idle"]);
    await expectIdentical(third, cast, { 1: 4 });
  });

  it("keeps to what a person changed by hand, and to where it rested", async () => {
    const { world, cast } = await fourSteps([NOOP, goal("other"), NOOP]);
    const early = (await resultsOf(world))[2]!;
    await world.legion.agents.get("1")!.pause("A rest.");
    const paused = world.agent("1").memory.ledger.last;
    await fork(world, early);
    await world.idle();
    await writeFile(
      join(legionPaths(world.project).agent("1"), "goals.json"),
      `{"goals":[{"text":"Mine"}]}\n`,
    );
    await fork(world, paused);
    await world.legion.agents.get("1")!.resume();
    await world.say("1", "Go on.");
    await world.idle();
    expect(await world.kinds("1", "edited")).toHaveLength(1);
    await expectIdentical(world, cast, { 1: 8, 2: await decisionsIn(world, "2") });
  });
});

async function forkAtRest(world: World, at: number): Promise<void> {
  const nobody = await openWorld(world.project, {});
  await fork(nobody, at);
  await nobody.stop();
}

describe("a replay of an agent that has the past of another", () => {
  it("begins where its own begins, and counts nothing of the other's", async () => {
    const { world, cast } = await fourSteps([NOOP, goal("mine"), write("2", "d"), NOOP]);
    await fork(world, (await resultsOf(world))[1]!);
    await world.idle();
    const results = await resultsOf(world);
    await fork(world, results[2]!, "1b");
    await fork(world, results[0]!);
    await world.idle();
    await world.stop();
    const both: Cast = { ...cast, "1b": { script: [write("2", "of 1b"), note("own"), NOOP, NOOP] } };
    const again = await world.restart({ ...both, 1: { script: () => NOOP } });
    await again.idle();
    await again.say("1b", "And?");
    await again.idle();
    expect((await again.kinds("1b", "message")).map(({ message }) => message.id)).toEqual([
      "0>1#1",
      "0>1b#1",
    ]);
    const counts = Object.fromEntries(
      await Promise.all(["1", "2"].map(async (id) => [id, await decisionsIn(again, id)] as const)),
    );
    await expectIdentical(again, both, { ...counts, "1b": 4 });
  });

  it("is nothing where it never ran", async () => {
    const { world, cast } = await fourSteps([]);
    await fork(world, (await resultsOf(world))[1]!, "1b");
    await world.stop();
    expect(await replay(world.project, "1b", cast["1"]!)).toEqual({ decisions: 0 });
  });
});
