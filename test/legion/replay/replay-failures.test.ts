import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { describeDifference } from "../../../src/legion/replay/difference.ts";
import type { Inspection } from "../../../src/domain/inspection.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { asking } from "./asking.ts";
import { calls, modulesWith } from "./recorded.ts";
import { replay, replayLegion } from "./replays.ts";
import { createWorld, type World, type WorldAgent } from "../../world.ts";

const busy: ScriptedAnswer = { error: { code: "MODEL_BUSY", retryAfterMs: 1 } };
const refused: ScriptedAnswer = { error: { code: "MODEL_REFUSED", message: "No." } };
const tooLong: ScriptedAnswer = { error: { code: "CONTEXT_OVERFLOW", message: "Too long." } };
const note = (n: number): ScriptedAnswer =>
  calls(["writeNote", { title: `note ${n}`, content: "x ".repeat(400) }]);

async function expectIdentical(world: World, agent: WorldAgent): Promise<void> {
  await world.stop();
  const decisions = (await world.kinds("1", "decision")).length;
  const alone = await replay(world.project, "1", agent);
  expect(alone.difference && describeDifference(alone.difference)).toBe(undefined);
  expect(alone.decisions).toBe(decisions);
  const together = await replayLegion(world.project, { 1: agent });
  expect(together.difference && describeDifference(together.difference)).toBe(undefined);
  expect(together.decisions).toBe(decisions);
}

async function play(agent: WorldAgent): Promise<World> {
  const world = await createWorld({ 1: agent });
  await world.say("1", "Work.");
  await world.idle();
  return world;
}

describe("a replay is identical", () => {
  it("where calls failed and were made again", async () => {
    const agent: WorldAgent = { script: [busy, note(1), busy, busy, "Done."] };
    await expectIdentical(await play(agent), agent);
  });

  it("where the provider refused, and a person let the agent go on", async () => {
    const agent: WorldAgent = { script: [note(1), refused, note(2), "Done."] };
    const world = await play(agent);
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    await expectIdentical(world, agent);
  });

  it("where the provider found the prompt too long", async () => {
    const summary: ScriptedAnswer = "You wrote notes.";
    const agent: WorldAgent = {
      script: [note(1), note(2), note(3), note(4), tooLong, summary, "Done."],
    };
    const world = await play(agent);
    expect(await world.kinds("1", "summary")).toHaveLength(1);
    await expectIdentical(world, agent);
  });

  it.each<[string, ScriptedAnswer | undefined, boolean]>([
    ["was made without a model", undefined, false],
    ["failed, so that a digest took its place", refused, true],
    ["saved nothing and was not kept", "word ".repeat(20_000), true],
  ])("where a summary %s", async (_, summary, summarises) => {
    let n = 0;
    const agent: WorldAgent = {
      script: (request) => {
        if (request.pinned.startsWith("Write a summary")) return summary ?? "";
        return n < 12 ? note(n++) : "Done.";
      },
      profile: { summarises },
      threshold: 3_000,
    };
    await expectIdentical(await play(agent), agent);
  });

  it("where a limit stopped the agent after it was asked to wrap up, and does not stop it by itself", async () => {
    const agent: WorldAgent = { script: [note(1), note(2), note(3), note(4)], limits: { steps: 3 } };
    const world = await play(agent);
    expect((await world.kinds("1", "notice")).map(({ reason }) => reason)).toContain("parked-limit");
    await expectIdentical(world, agent);
    expect(await replay(world.project, "1", { ...agent, limits: { steps: 1 } })).toEqual({ decisions: 3 });
  });

  it("where the loop guard warned and then stopped the agent, and mail woke it", async () => {
    const agent: WorldAgent = {
      script: (_, index) => (index < 5 ? calls(["viewNote", { title: "none" }]) : "Done."),
    };
    const world = await play(agent);
    expect((await world.kinds("1", "notice")).map(({ reason }) => reason)).toContain("parked-mail");
    await world.say("1", "Do something else.");
    await world.idle();
    await expectIdentical(world, agent);
  });

  it("where an action asked the model itself", async () => {
    const agent: WorldAgent = {
      script: [calls(["ponder", { about: "life" }], ["noop", {}]), "42", "Done."],
      modules: [core, asking],
    };
    await expectIdentical(await play(agent), agent);
  });

  it("where the node ended while the agent waited for its provider", async () => {
    const agent: WorldAgent = { script: [note(1), busy, "Done."], modules: modulesWith(() => undefined) };
    const world = await createWorld({ 1: agent });
    await world.say("1", "Work.");
    await world.until((seen) => seen.kind === "live:state" && seen.state === "retrying");
    world.legion.interrupt();
    await world.stop();
    const again = await world.restart({ 1: { ...agent, script: [note(2), "Done."] } });
    await again.idle();
    await expectIdentical(again, agent);
  });

  it("where the node ended in the middle of a call, of a thought or between two, and never began again", async () => {
    const ends: readonly [Partial<WorldAgent>, (seen: Inspection) => boolean][] = [
      [
        { script: [note(1), calls(["touch", { step: "a" }])] },
        (seen) =>
          seen.kind === "event" && seen.event.kind === "decision" && seen.event.calls[0]?.action === "touch",
      ],
      [{ script: [note(1), busy] }, (seen) => seen.kind === "live:state" && seen.state === "retrying"],
    ];
    for (const [recorded, isEnd] of ends) {
      const agent: WorldAgent = { ...recorded, modules: modulesWith(() => new Promise(() => undefined)) };
      const world = await createWorld({ 1: agent });
      await world.say("1", "Work.");
      await world.until(isEnd);
      world.legion.interrupt();
      await expectIdentical(world, agent);
    }
    const agent: WorldAgent = { script: [note(1), note(2), "Done."] };
    const world = await createWorld({ 1: agent });
    await world.say("1", "Work.");
    await world.until((seen) => seen.kind === "event" && seen.event.kind === "result");
    await expectIdentical(world, agent);
  });
});
