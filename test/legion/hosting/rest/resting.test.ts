// A legion of many agents, most of which have nothing to do.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createClock } from "../../../../src/base/clock.ts";
import type { AgentStatus } from "../../../../src/legion/status.ts";
import { createFileBackend } from "../../../../src/storage/files/backend.ts";
import { createScriptedModel } from "../../../../src/model/scripted/scripted.ts";
import { createHandClock } from "../../../hand-clock.ts";
import { openWorld, temporaryFolder, type World, type WorldOptions } from "../../../world.ts";

const MANY = 80;
const IDS = Array.from({ length: MANY }, (_, index) => String(index + 1));
const usage = { input: 10, output: 2 };

/** Every agent answers what it is told with one message to Control. */
function open(project: string, options: WorldOptions = {}): Promise<World> {
  const script = () => ({ text: "Done.", usage });
  const agent = { model: createScriptedModel(script, { price: { input: 1, output: 1 } }) };
  const agents = Object.fromEntries(IDS.map((id) => [id, agent]));
  return openWorld(project, agents, { closesIdle: true, ...options });
}

function openOnes({ legion }: World): readonly string[] {
  return [...legion.agents].flatMap(([id, { agent }]) => (agent ? id : []));
}

const statusOf = async ({ legion }: World, id: string): Promise<AgentStatus | undefined> =>
  (await legion.statuses("here")).find((status) => status.id === id);

async function usedOnce(ids: readonly string[]): Promise<string> {
  const project = await temporaryFolder();
  const world = await open(project);
  await world.say(ids, "go");
  await world.idle();
  await world.stop();
  return project;
}

describe("of many agents", () => {
  it("those that rest are not opened at a start, and each is when it is written to", async () => {
    const world = await open(await usedOnce(["3", "7"]));
    expect(openOnes(world)).toEqual([]);
    expect(world.legion.agents.size).toBe(MANY);
    await world.say("7", "again");
    await world.say("9", "first");
    await world.idle();
    expect(openOnes(world)).toEqual(["7", "9"]);
    expect((await world.kinds("7", "decision")).length).toBe(2);
    expect((await world.kinds("9", "decision")).length).toBe(1);
  });

  it("a start says of how many it knows what it has to, new or at rest or opened", async () => {
    const told: string[] = [];
    const onReady = (agents: number, of: number): void => void told.push(`${agents} of ${of}`);
    const everybody = IDS.map((id) => `${id} of ${MANY}`);
    const project = await temporaryFolder();
    for (const closesIdle of [true, true, false]) {
      const world = await open(project, { onReady, closesIdle });
      expect(told.splice(0)).toEqual(everybody);
      await world.idle();
      await world.stop();
    }
  });

  it("each is told of as if it were open", async () => {
    const project = await usedOnce(["3"]);
    const closed = await open(project);
    const [three, five] = [await statusOf(closed, "3"), await statusOf(closed, "5")];
    await closed.stop();
    const all = await open(project, { closesIdle: false });
    // Each has rested since its own start.
    const same = (status: AgentStatus | undefined): string =>
      JSON.stringify(status, (key, value: unknown) => (key === "since" ? undefined : value));
    expect(same(three)).toBe(same(await statusOf(all, "3")));
    expect(same(five)).toBe(same(await statusOf(all, "5")));
    expect((await all.legion.statuses("here")).map(({ id }) => id)).toEqual(IDS);
  });

  it("what those have spent that rest counts (G2)", async () => {
    const world = await open(await usedOnce(["3", "7"]));
    expect(world.legion.budget.spent()).toMatchObject({ steps: 2, tokens: 24 });
    await world.say("7", "again");
    await world.idle();
    expect(world.legion.budget.spent()).toMatchObject({ steps: 3, tokens: 36 });
  });

  it("one that was written to while nobody ran is opened at the start (Z5)", async () => {
    const project = await usedOnce(["3"]);
    const backend = createFileBackend(project);
    const store = await backend.openStore({ clock: createClock(), durability: "disk" });
    await store.control.say(["3", "5"], "while you were away");
    await store.close();
    await backend.close();
    const world = await open(project);
    await world.idle();
    expect((await world.kinds("3", "decision")).length).toBe(2);
    expect((await world.kinds("5", "decision")).length).toBe(1);
  });

  it("one that a start of few had open is looked at by the next of many (Z5)", async () => {
    const project = await usedOnce(["3", "7"]);
    const few = await openWorld(project, { "3": {} }, { closesIdle: true });
    await few.stop();
    expect(openOnes(await open(project))).toEqual(["3"]);
  });

  it("one that stands still by a person's word is no name, also at the next start", async () => {
    const project = await usedOnce(["3"]);
    const world = await open(project);
    await world.legion.agents.get("3")!.pause("wait");
    await vi.waitFor(async () => expect((await statusOf(world, "3"))?.state).toBe("paused"));
    await world.stop();
    const next = await open(project);
    expect(openOnes(next)).toEqual(["3"]);
    await next.say("3", "later");
    await next.legion.agents.get("3")!.resume();
    await next.idle();
    expect((await next.kinds("3", "decision")).length).toBe(2);
  });

  it("all are looked at where nothing is known of who rests (Z6)", async () => {
    const project = await usedOnce(["3"]);
    await rm(join(project, ".ai-legion/cache/at-rest.jsonl"));
    const world = await open(project);
    expect(openOnes(world).length).toBe(MANY);
  });

  it("those that have rested longest are closed, and go on when they are written to", async () => {
    const clock = createHandClock();
    const world = await open(await temporaryFolder(), { clock });
    await world.say(IDS, "go");
    await world.idle();
    expect(openOnes(world).length).toBe(MANY);
    await vi.waitFor(() => {
      clock.advance(1_000);
      expect(openOnes(world).length).toBe(64);
    });
    const closed = IDS.filter((id) => !openOnes(world).includes(id));
    await world.say(closed, "again");
    await world.idle();
    for (const id of closed) expect((await world.kinds(id, "decision")).length).toBe(2);
    expect(world.legion.budget.spent().steps).toBe(MANY + closed.length);
  });

  it("one that is stopped while it rests is stopped, and runs again at the next start", async () => {
    const project = await usedOnce(["3"]);
    const world = await open(project);
    await world.legion.dismiss("3");
    expect(world.legion.agents.get("3")?.standing.state).toBe("stopped");
    await world.say("3", "for later");
    await world.stop();
    const next = await open(project);
    await next.idle();
    expect((await next.kinds("3", "decision")).length).toBe(2);
  });
});
