// A person deletes an agent's folder, or its log alone, between two runs; others go on writing to it, and it to them.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { NOOP } from "../workshop.ts";
import { createWorld, type World } from "../world.ts";

const write = (to: string, ...texts: readonly string[]): ScriptedAnswer => ({
  calls: texts.map((message) => ({ action: "sendMessage", parameters: { targetAgentId: to, message } })),
});

const heardFrom = async (world: World, agent: string, from: string): Promise<readonly string[]> =>
  (await world.kinds(agent, "message"))
    .filter(({ message }) => message.id.startsWith(`${from}>`))
    .map(({ message }) => message.content);

/** Two agents that wrote to each other twice; then one of them loses `what`. */
async function bereft(agent: string, what: "" | "log"): Promise<World> {
  const world = await createWorld({
    1: { script: [write("2", "one", "two"), ...Array<ScriptedAnswer>(9).fill(NOOP)] },
    2: { script: [write("1", "eins", "zwei"), ...Array<ScriptedAnswer>(9).fill(NOOP)] },
  });
  await world.say("1", "Write.");
  await world.idle();
  await world.stop();
  await rm(join(world.project, ".ai-legion/agents", agent, what), { recursive: true });
  return world;
}

const more = {
  1: { script: [write("2", "three"), write("2", "four"), ...Array<ScriptedAnswer>(9).fill(NOOP)] },
  2: { script: [write("1", "drei"), write("1", "vier"), ...Array<ScriptedAnswer>(9).fill(NOOP)] },
};

it.each(["", "log"] as const)(
  "mail to an agent whose folder/%s is gone arrives, and its own mail is none of the old",
  async (what) => {
    const world = await bereft("2", what);
    const again = await world.restart(more);
    await again.say("all", "Write more.");
    await again.idle();
    expect(await heardFrom(again, "2", "1")).toEqual(["three", "four"]);
    expect(await heardFrom(again, "1", "2")).toEqual(["eins", "zwei", "drei", "vier"]);
    const once = await again.restart({ 1: { script: () => NOOP }, 2: { script: () => NOOP } });
    await once.idle();
    expect(await heardFrom(once, "2", "1")).toEqual(["three", "four"]);
    expect(await heardFrom(once, "1", "2")).toEqual(["eins", "zwei", "drei", "vier"]);
  },
);

it.each(["", "log"] as const)(
  "what was not read is kept unless it is deleted, too: folder/%s",
  async (what) => {
    const world = await createWorld({
      1: { script: [write("2", "one"), write("2", "two"), NOOP, NOOP] },
      2: { script: () => NOOP },
    });
    await world.legion.agents.get("2")!.pause("by Control");
    await world.say("1", "Write.");
    await world.idle();
    expect(await world.legion.unread("2")).toBe(2);
    await world.stop();
    await rm(join(world.project, ".ai-legion/agents/2", what), { recursive: true });
    const again = await world.restart({
      1: { script: [write("2", "three"), NOOP] },
      2: { script: () => NOOP },
    });
    await again.say("1", "Write more.");
    await again.idle();
    expect(await heardFrom(again, "2", "1")).toEqual(what === "" ? ["three"] : ["one", "two", "three"]);
  },
);

it("mail that had not arrived when the folder was deleted arrives at the agent that comes in its place", async () => {
  const world = await createWorld({
    1: { script: [write("2", "one"), NOOP, NOOP] },
    2: { script: () => NOOP },
  });
  await world.say("1", "Write.");
  await world.idle();
  await world.stop();
  for (const path of ["2", "0"])
    await rm(join(world.project, ".ai-legion/agents", path), { recursive: true });
  const alone = await world.restart({ 1: { script: [write("2", "two"), NOOP] } });
  await alone.say("1", "Write, though nobody is there.");
  await alone.idle();
  const again = await alone.restart({
    1: { script: [write("2", "three"), NOOP] },
    2: { script: () => NOOP },
  });
  await again.say("1", "Write more.");
  await again.idle();
  expect((await heardFrom(again, "2", "1")).at(-1)).toBe("three");
  // The person's new log begins anew as well, and is not taken for the old one.
  expect(await heardFrom(again, "1", "0")).toEqual([
    "Write.",
    "Write, though nobody is there.",
    "Write more.",
  ]);
});
