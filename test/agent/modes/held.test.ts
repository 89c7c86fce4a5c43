// An agent that is held works, and nobody but the person hears of it until they let it go.

import { describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { storedStatus } from "../../../src/legion/status.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { NOOP } from "../../workshop.ts";
import { createWorld, type World, type WorldAgent } from "../../world.ts";

const tell = (to: string, message: string): ScriptedAnswer => ({
  calls: [{ action: "sendMessage", parameters: { targetAgentId: to, message } }],
});
const SPEAKER: WorldAgent = {
  script: [tell("2", "First"), tell("0", "To you"), tell("2", "Second"), NOOP, NOOP],
};
const LISTENER: WorldAgent = { script: () => NOOP };

async function heldWorld(): Promise<World> {
  const world = await createWorld({ "1": SPEAKER, "2": LISTENER });
  await world.legion.control.switchMode(["1"], "held");
  await world.say("1", "Go");
  await world.idle();
  return world;
}

const heard = async (world: World, by: string): Promise<readonly string[]> =>
  (await world.kinds(by, "message")).map(({ message }) => message.content);
const waiting = (world: World): number => world.agent("1").outbox.undelivered().length;

describe("an agent that is held", () => {
  it("is heard by the person alone; what it said to others goes once they switch, once and in order (O3)", async () => {
    const world = await heldWorld();
    expect([await heard(world, "2"), waiting(world)]).toEqual([[], 2]);
    expect(await heard(world, "0")).toEqual(["To you"]);
    await world.legion.control.switchMode(["1"], "usual");
    await world.idle();
    expect([await heard(world, "2"), waiting(world)]).toEqual([["First", "Second"], 0]);
  });

  it("is held also after a restart, and while a mailbox that was damaged is filled again (O3)", async () => {
    const world = await heldWorld();
    const again = await world.restart();
    await again.agent("1").outbox.offerAgain(() => true);
    await again.idle();
    expect([await heard(again, "2"), waiting(again)]).toEqual([[], 2]);
    await again.legion.control.switchMode(["1"], "usual");
    await again.idle();
    expect(await heard(again, "2")).toEqual(["First", "Second"]);
  });

  it("says what it waits for, running and at rest", async () => {
    const world = await heldWorld();
    await world.stop();
    const { mode, waits } = await storedStatus("1", createFileReader(world.project));
    expect(mode).toBe("held");
    expect(waits).toContainEqual(
      expect.objectContaining({ for: "delivery", agents: ["2"], way: "legion mode 1 usual" }),
    );
  });
});
