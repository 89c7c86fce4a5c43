import { describe, expect, it } from "vitest";
import { core } from "../../modules/core.ts";
import { goals } from "../../modules/goals.ts";
import { notes } from "../../modules/notes.ts";
import {
  createScriptedModel,
  type ScriptedAnswer,
  type ScriptedCall,
} from "../../src/model/scripted/scripted.ts";
import { createWorldInMemory as createWorld } from "../world.ts";
import { createTestHost } from "./test-host.ts";

const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };

/** What each call came to, in a real agent that makes them all, each as a decision of its own. */
async function results(...calls: readonly ScriptedCall[]): Promise<string[]> {
  const model = createScriptedModel([...calls.map((call) => ({ calls: [call] })), NOOP]);
  const world = await createWorld({ 1: { model, modules: [core, goals, notes] } });
  await world.say("1", "Please buy milk.");
  await world.idle();
  return (await world.kinds("1", "result"))
    .slice(0, calls.length)
    .map(({ outcome, content }) => `${outcome}: ${content}`);
}

function call(action: string, parameters: Readonly<Record<string, unknown>> = {}): ScriptedCall {
  return { action, parameters };
}

describe("who the agent is", () => {
  it("is said first, then its brief, the rules of the house and how to act", () => {
    const { host } = createTestHost(core, { id: "writer" });
    const agent = { ...host.agent, name: "writer", brief: "  You write.\n" };
    expect(core.instructions!({ ...host, agent, howToAct: "Act like this." })).toBe(
      `You are writer (agent id writer).

You write.

You work on your own, among other agents and under a person called Control. Nobody watches what you write: \
you are not in a chat. When you are asked for something, do it, check that it is done, and report the outcome to whoever \
asked. When nothing is left to do, wait for mail.

Act like this.`,
    );
  });

  it("leaves no gap where there is no brief", () => {
    const { host } = createTestHost(core);
    expect(core.instructions!(host)).toMatch(
      /^You are Agent 1 \(agent id 1\)\.\n\nYou work on your own.*wait for mail\.$/s,
    );
  });
});

describe("noop", () => {
  it("does nothing", async () => {
    expect(await results(call("noop"))).toEqual(["idle: "]);
  });
});

describe("help", () => {
  it("shows how to use an action", async () => {
    expect(await results(call("help", { aboutAction: "addGoal" }))).toEqual([
      expect.stringMatching(/^ok: `addGoal`: .*\.\n\nUsage:\n```\naddGoal\nthoughts: .*\ngoal: <.*>\n```$/s),
    ]);
  });

  it("names the actions there are when it is asked for another", async () => {
    const [answer] = await results(call("help", { aboutAction: "toString" }));
    expect(answer).toBe(
      "error: There is no action `toString`. There are: noop, help, currentObjective, recall, addGoal, completeGoal, writeNote, viewNote, deleteNote.",
    );
  });
});

describe("currentObjective", () => {
  it("is the oldest pending goal, else the latest instruction", async () => {
    expect(
      await results(
        call("currentObjective"),
        call("addGoal", { goal: "find a shop" }),
        call("addGoal", { goal: "buy milk" }),
        call("currentObjective"),
        call("completeGoal", { goalNumber: 1 }),
        call("currentObjective"),
      ),
    ).toMatchObject({ 0: "ok: Please buy milk.", 3: "ok: find a shop", 5: "ok: buy milk" });
  });

  it("says so when there is neither", async () => {
    const { act } = createTestHost(core);
    expect(await act("currentObjective")).toEqual({
      outcome: "ok",
      content: "You have no goals and no instructions yet.",
    });
  });
});

describe("recall", () => {
  it("finds events that contain every word, newest first, and reopens one by its number", async () => {
    const [, , found, opened, none, missing, nothing] = await results(
      call("writeNote", { title: "shop", content: "the dairy on the corner" }),
      call("writeNote", { title: "price", content: "one euro at the dairy" }),
      call("recall", { query: "DAIRY the" }),
      call("recall", { event: 2 }),
      call("recall", { query: "submarine volcano" }),
      call("recall", { event: 4_711 }),
      call("recall"),
    );
    const seqs = [...found!.matchAll(/- event (\d+) \(/g)].map(([, seq]) => Number(seq));
    expect(seqs.length).toBeGreaterThanOrEqual(2);
    expect(seqs).toEqual([...seqs].sort((a, b) => b - a));
    expect(found).toMatch(/Reopen one of them with its number in `event`\.$/);
    expect(opened).toMatch(/^ok: Event 2 \(20.*Z\):\n\n--- MESSAGE FROM CONTROL ---\n\nPlease buy milk\.$/);
    expect(none).toBe("ok: Nothing in your past contains all of: submarine volcano.");
    expect(missing).toBe("error: There is no event 4711 to reopen.");
    expect(nothing).toBe("error: Give a query, or the number of an event.");
  });

  it("shows long events as excerpts, twenty at most", async () => {
    const writing = Array.from({ length: 30 }, (_, n) =>
      call("writeNote", { title: `n${n}`, content: `milk ${"x".repeat(2_000)}` }),
    );
    const answer = (await results(...writing, call("recall", { query: "milk" }))).at(-1)!;
    expect(answer.match(/- event/g)).toHaveLength(20);
    expect(answer.length).toBeLessThan(20 * 400);
  });
});
