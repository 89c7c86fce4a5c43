// A real file system with no room left.

import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AgentState } from "../../src/domain/inspection.ts";
import { createHandClock } from "../hand-clock.ts";
import { byHand, openWorld, type World, type WorldAgent } from "../world.ts";
import { onDevice, whyNoDevices } from "./device.ts";

const DEVICE_BYTES = 12 * 1_048_576;
const IDS = ["1", "2", "3"];
/** Needs room of its own, wherever it is written. */
const LONG = "a long note ".repeat(2_000);
const obstacle = whyNoDevices();

/** Writes until nothing fits any more. */
async function fill(path: string): Promise<void> {
  const file = await open(path, "w");
  try {
    for (let bytes = 65_536; bytes >= 1;) {
      try {
        await file.write(Buffer.alloc(bytes, 1));
      } catch {
        bytes = Math.floor(bytes / 2);
      }
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Resolves when all agents are in `state`. */
async function all({ legion }: World, state: AgentState): Promise<void> {
  const areThere = (): boolean => IDS.every((id) => legion.agents.get(id)!.standing.state === state);
  await new Promise<void>((resolve) => {
    const unwatch = legion.inspector.watch(() => areThere() && resolve());
    if (areThere()) resolve();
    onTestFinished(unwatch);
  });
}

describe.skipIf(obstacle)(`a disk that is full${obstacle ? ` (skipped: ${obstacle})` : ""}`, () => {
  it("halts the agents with the reason; they lose nothing, and resume when there is room again", async () => {
    await onDevice(DEVICE_BYTES, async ({ folder }) => {
      const clock = createHandClock();
      const full = byHand();
      const writer: WorldAgent = {
        async script({ turns }) {
          await full.promise;
          if (turns.some(({ role }) => role === "results")) return { calls: [{ action: "noop" }] };
          return { calls: [{ action: "writeNote", parameters: { title: "long", content: LONG } }] };
        },
      };
      const agents = Object.fromEntries(IDS.map((id) => [id, writer]));
      const world = await openWorld(folder, agents, { clock, durability: "disk" });
      const ids = await world.say(IDS, "write");
      await all(world, "thinking");
      await fill(join(folder, "filler"));
      full.resolve();
      await all(world, "halted");
      for (const id of IDS)
        expect(world.legion.agents.get(id)!.standing.reason).toMatch(/\.ai-legion.*ENOSPC/);
      // Longer than what is left of the last block of the log.
      await expect(world.say("1", "no room for this".padEnd(10_000))).rejects.toMatchObject({
        code: "STORAGE",
      });

      clock.advance(10_000);
      await clock.asleep(10_000);
      await rm(join(folder, "filler"));
      clock.advance(10_000);
      await all(world, "idle");
      expect(await world.say("1", "thanks")).toEqual(["0>1#2"]);
      await world.idle();
      await world.stop();
      for (const [index, id] of IDS.entries()) {
        const mail = (await world.kinds(id, "message")).map(({ message }) => message.id);
        expect(mail).toEqual(id === "1" ? [ids[index], "0>1#2"] : [ids[index]]);
        const written = (await world.kinds(id, "result")).filter(({ state }) => state !== undefined);
        expect(written).toMatchObject([{ outcome: "ok", state: [["notes", "long", LONG]] }]);
        expect((await world.events(id)).map(({ seq }) => seq)).toEqual(
          (await world.events(id)).map((_, place) => place + 1),
        );
      }
    });
  });
});
