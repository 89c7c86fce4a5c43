// How somebody watches over an agent is said where that runs: no copy of its past, however made, brings it along.

import { describe, expect, it } from "vitest";
import type { Mode } from "../../../src/domain/supervision.ts";
import { archiveOf, received } from "../../storage/archive/archived.ts";
import { createWorld, openWorld, type World } from "../../world.ts";
import { agent, deploy, questionOf, shop } from "../act/asking.ts";

/** Agent 1, in mode `mode`, with one decision behind it. */
async function settled(mode: Mode): Promise<World> {
  const { modules } = shop();
  const world = await createWorld({ 1: agent([], { modules }) });
  await world.legion.control.switchMode(["1"], mode);
  await world.idle();
  if (mode === "human") await world.legion.control.act("1", "noop", { action: "noop", parameters: {} });
  else await world.say("1", "go");
  await world.idle();
  return world;
}

const modeOf = (world: World, id = "1"): Mode => world.agent(id).memory.conversation.run.mode;
const lastOf = async (world: World): Promise<number> => (await world.kinds("1", "result")).at(-1)!.seq;

describe.each(["confirm", "yolo", "human", "held"] as const)("mode %s", (mode) => {
  it("holds after a restart", async () => {
    const again = await (await settled(mode)).restart();
    expect(modeOf(again)).toBe(mode);
  });

  it("is not that of a new agent with the past, and stays that of the first", async () => {
    const world = await settled(mode);
    await (
      await world.legion.fork({ agent: "1", at: await lastOf(world), as: "1b" })
    ).done;
    const again = await world.restart({ 1: agent([]), "1b": agent([]) });
    expect([modeOf(again), modeOf(again, "1b")]).toEqual([mode, "usual"]);
  });

  it("is not that of an earlier moment which the agent goes on from", async () => {
    const world = await settled(mode);
    await world.legion.control.switchMode(["1"], "usual");
    await world.idle();
    await (
      await world.legion.fork({ agent: "1", at: await lastOf(world) })
    ).done;
    expect(modeOf(world)).toBe("usual");
  });

  it("is not that of an agent that arrives in an archive of the person's own", async () => {
    const world = await settled(mode);
    await world.stop();
    const again = await openWorld(await received(await archiveOf(world.project, ["1"])), { 1: agent([]) });
    expect(modeOf(again)).toBe("usual");
  });
});

it("a word that waits unread in an archive is none where that arrives: the call is asked there", async () => {
  const { done, modules } = shop();
  const world = await createWorld({ 1: agent([deploy("prod")], { modules }) });
  await world.legion.agents.get("1")!.pause("");
  await world.say("1", "go");
  await world.legion.control.switchMode(["1"], "yolo");
  await world.stop();
  const project = await received(await archiveOf(world.project, ["1"]));
  const again = await openWorld(project, { 1: agent([deploy("prod")], { modules }) });
  await again.legion.agents.get("1")!.resume();
  await questionOf(again);
  expect(done).toEqual([]);
});
