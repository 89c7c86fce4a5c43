import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { describe, expect, it, vi } from "vitest";
import { core } from "../../../modules/core.ts";
import { goals } from "../../../modules/goals.ts";
import { describeDifference } from "../../../src/legion/replay/difference.ts";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import { calls, legionOf, modulesWith, never, outside, record } from "./recorded.ts";
import { replay } from "./replays.ts";
import { createWorld, type World, type WorldAgent } from "../../world.ts";

async function play(agent: WorldAgent): Promise<World> {
  const world = await createWorld({ 1: agent });
  await world.say("1", "Work.");
  await world.idle();
  await world.stop();
  return world;
}

/** Every file of a project, with what tells that it was written to. */
async function filesOf(project: string): Promise<readonly string[]> {
  const names = (await readdir(project, { recursive: true })).sort();
  return Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs } = await stat(join(project, name));
      return `${name} ${size} ${mtimeMs}`;
    }),
  );
}

describe("a replay of a legion that lived, crashed and was edited", () => {
  it(
    "is identical for each of its agents, touches nothing and writes nothing",
    { timeout: 60_000 },
    async () => {
      const { world, touched } = await record();
      const before = await filesOf(world.project);
      const count = touched();
      vi.stubGlobal("fetch", () => {
        throw new Error("A replay needs no network.");
      });
      try {
        let decisions = 0;
        for (const [id, agent] of Object.entries(legionOf(never))) {
          const replayed = await replay(world.project, id, agent);
          expect(replayed.difference && describeDifference(replayed.difference)).toBe(undefined);
          decisions += replayed.decisions;
        }
        expect(decisions).toBeGreaterThan(100);
      } finally {
        vi.unstubAllGlobals();
      }
      expect(touched()).toBe(count);
      expect(await filesOf(world.project)).toEqual(before);
      const events = (await Promise.all(["1", "2", "3"].map((id) => world.events(id)))).flat();
      const seen = new Set(
        events.map((event) => {
          if (event.kind === "decision") return event.stop;
          if (event.kind === "result") return event.outcome;
          return event.kind === "notice" ? event.reason : event.kind;
        }),
      );
      const wanted = [
        "aborted",
        "unparsed",
        "error",
        "interrupted",
        "idle",
        "summary",
        "edited",
        "paused",
        "resumed",
      ];
      expect([...seen]).toEqual(expect.arrayContaining(wanted));
    },
  );
});

describe("a change since the recording", () => {
  const script = [
    calls(["addGoal", { goal: "one" }]),
    calls(["touch", { step: "a" }]),
    calls(["addGoal", { goal: "two" }]),
    calls(["addGoal", { goal: "three" }]),
    "Done.",
  ];
  const agent: WorldAgent = { script, modules: modulesWith(() => undefined) };
  const decisionsOf = async (world: World) => (await world.kinds("1", "decision")).map(({ seq }) => seq);

  it("of a module's instructions is found at the first decision, with both sides", async () => {
    const world = await play(agent);
    const careless = { ...outside(never), instructions: () => "Touch the world boldly." };
    const modules = [...modulesWith(never).slice(0, -1), careless];
    const { decisions, difference } = await replay(world.project, "1", { ...agent, modules });
    const [first] = await decisionsOf(world);
    expect(decisions).toBe(0);
    expect(difference).toMatchObject({ agent: "1", seq: first, part: `decision ${first}: system prompt` });
    expect(describeDifference(difference!)).toMatch(
      /^Agent 1, decision \d+: system prompt, line \d+ \(.*\):\n- Touch the world carefully\.\n\+ Touch the world boldly\.$/,
    );
  });

  it("of the brief is found at the first decision", async () => {
    const world = await play(agent);
    const { difference } = await replay(world.project, "1", agent, { brief: "You are a poet." });
    expect(difference?.part).toMatch(/system prompt$/);
    expect(difference?.recorded).not.toContain("poet");
    expect(difference?.today).toContain("You are a poet.");
  });

  it("of what is pinned is found at the decision that was shown it first", async () => {
    const world = await play(agent);
    const eager = {
      ...goals,
      pinnedMessage: (host: Parameters<NonNullable<typeof goals.pinnedMessage>>[0]) => {
        const pinned = goals.pinnedMessage!(host) as string;
        return pinned.includes("two") ? `${pinned}\nHurry.` : pinned;
      },
    };
    const modules = modulesWith(never).map((module) => (module === goals ? eager : module));
    const { decisions, difference } = await replay(world.project, "1", { ...agent, modules });
    const seqs = await decisionsOf(world);
    expect(decisions).toBe(3);
    expect(difference).toMatchObject({ seq: seqs[3], part: `decision ${seqs[3]}: pinned messages` });
    expect(describeDifference(difference!)).toContain("\n+ Hurry.");
  });

  it("of an action's parameters is found among the tools, or at the call that is refused today", async () => {
    const modules = [core, outside(never, { why: z.string() })];
    const native: WorldAgent = {
      script: [calls(["touch", { step: "a" }])],
      modules: [core, outside(() => undefined)],
    };
    const first = await replay((await play(native)).project, "1", { ...native, modules });
    expect(first.difference?.part).toMatch(/tools$/);
    const written: WorldAgent = { ...native, script: ["touch\nstep: a"], protocol: "text" };
    const second = await replay((await play(written)).project, "1", { ...written, modules });
    expect(second.decisions).toBe(1);
    expect(second.difference?.part).toMatch(/^event \d+: result of touch$/);
    expect(second.difference?.recorded).toBe("ok: Touched: a.");
    expect(second.difference?.today).toContain("Missing required parameter: `why`.");
  });

  it("of the protocol is found at the first decision", async () => {
    const world = await play({ ...agent, errors: "keep" });
    const { difference } = await replay(world.project, "1", { ...agent, protocol: "text" });
    expect(difference?.part).toMatch(/system prompt$/);
  });
});

describe("what is gone", () => {
  const agent: WorldAgent = { script: [calls(["noop", {}]), "Done."] };

  it("is not missed where it is not needed, and said where it is", async () => {
    const world = await play(agent);
    await rm(legionPaths(world.project).blobs("1"), { recursive: true });
    expect(await replay(world.project, "1", agent)).toEqual({ decisions: 1 });
    const { difference } = await replay(world.project, "1", agent, { brief: "Another." });
    expect(difference?.recorded).toMatch(/its system prompt is gone/);
  });

  it("keeps a log from being replayed only from there on", async () => {
    const world = await createWorld({ 1: agent });
    await world.say("1", "Work.");
    await world.idle();
    await world.say("1", "x".repeat(100_000));
    await world.idle();
    await world.stop();
    await rm(legionPaths(world.project).blobs("1"), { recursive: true });
    const long = (await world.kinds("1", "message"))[1]!.seq;
    await expect(replay(world.project, "1", agent)).rejects.toThrow(
      new RegExp(`^Agent 1 cannot be replayed: a text of event ${long} is gone .*; --to ${long - 1} replays`),
    );
    expect(await replay(world.project, "1", agent, { to: long - 1 })).toEqual({ decisions: 1 });
  });
});

it("replays what a module did with a text of several lines, in the same words", async () => {
  const poem = defineModule({
    name: "poem",
    actions: {
      write: defineAction({
        description: "Write a verse",
        parameters: { verse: z.string() },
        execute: ({ verse }) => ok(`${verse}\n--- ERROR ---\nnot really`),
      }),
    },
  });
  const agent: WorldAgent = {
    script: [calls(["write", { verse: "a\nb" }]), "There."],
    modules: [core, poem],
  };
  expect(await replay((await play(agent)).project, "1", agent)).toEqual({ decisions: 2 });
});
