// As in torture.test.ts, but for the one thing that is the legion's as a whole: how many model calls it may make.

import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { redisIsThere } from "../storage/redis/servers.ts";
import { seeded } from "../torture/seeded.ts";
import { gather } from "./evidence.ts";
import type { Member } from "./member.ts";
import { haunt } from "./nemesis.ts";
import { EVERYTHING } from "./schedule.ts";
import { AGENTS, LEGION, openStage } from "./stage.ts";

const STEPS = 2_000;
const FOR_MS = 12_000;
const TICK_MS = 10;

describe.skipIf(!redisIsThere)("a legion of four nodes that are killed, stopped and cut off", () => {
  it("makes as many model calls as its limit allows, and not one more", { timeout: 120_000 }, async () => {
    const seed = Number(process.env["TORTURE_SEED"] ?? Date.now() % 1_000_000);
    console.log(`seed ${seed}`);
    const crashes: string[] = [];
    const { server, members, close } = await openStage({
      leaseMs: EVERYTHING.leaseMs,
      steps: STEPS,
      durability: "always",
      workFor: () => ({ kind: "ticking", everyMs: TICK_MS }),
      onCrash: (text) => crashes.push(text),
    });
    try {
      await haunt({ ...EVERYTHING, members, server, random: seeded(seed) }, FOR_MS);
      await Promise.all(members.map((member) => member.ready()));
      for (const member of members) member.calm();
      while (!areAllParked(members)) await delay(100);
      await Promise.all(members.map((member) => member.stop()));
      const { agents, steps } = await gather({ port: server.port, legion: LEGION, agents: AGENTS });
      const events = [...agents.values()].flatMap(({ log }) => log.records);
      expect(events.filter(({ kind }) => kind === "prompted").length).toBe(STEPS);
      expect(steps).toBe(STEPS);
      expect(crashes).toEqual([]);
    } finally {
      await close("remove");
    }
  });
});

function areAllParked(members: readonly Member[]): boolean {
  const parked = members.flatMap(({ standing }) => standing?.agents ?? []);
  return AGENTS.every((id) => parked.some((agent) => agent.id === id && agent.state === "parked"));
}
