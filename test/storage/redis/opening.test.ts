import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LegionError } from "../../../src/base/errors.ts";
import { agentKeys } from "../../../src/storage/redis/scripts/keys.ts";
import type { Link } from "../../../src/storage/redis/connection/link.ts";
import { openTestLink } from "./members.ts";
import { newLegion } from "./places.ts";
import { openNode } from "./redis-world.ts";
import { redisIsThere, startRedis, until, type Server } from "./servers.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

/** Lets something happen before a command is sent. */
function withPause(
  link: Link,
  before: (name: string, args: readonly unknown[]) => Promise<void> | void,
): Link {
  return {
    ...link,
    get standing() {
      return link.standing;
    },
    async command(name, ...args) {
      await before(name, args);
      return link.command(name, ...args);
    },
  };
}

describe.skipIf(!redisIsThere)("an agent that is opened while Redis is troubled", () => {
  it("can be opened again where it lost its right while its mailbox was being read", async () => {
    const legion = newLegion();
    const { meta } = agentKeys(legion, "1");
    const real = await openTestLink(server.url);
    let isAnother = false;
    let asked = 0;
    const paused = withPause(real, async (name, [key, field]) => {
      if (asked > 0 || name !== "HMGET" || key !== meta || field !== "mail") return;
      isAnother = true;
      await until(() => asked > 0);
      await turn();
    });
    const link: Link = {
      ...paused,
      async incarnation() {
        const now = await real.incarnation();
        if (!isAnother || asked > 0) return now;
        asked += 1;
        return "another";
      },
    };
    const node = await openNode(server.url, legion, { 1: {} }, { home: { link } });
    await until(() => node.legion.agents.get("1")?.standing.state === "idle");
  });

  it("outlives that what it once sent cannot be read when it offers that again", async () => {
    const legion = newLegion();
    const script = () => ({
      calls: [{ action: "sendMessage", parameters: { targetAgentId: "2", message: "Hi." } }],
    });
    const first = await openNode(server.url, legion, { 1: { script }, 2: {} });
    await first.say("1", "Write to 2.");
    await until(async () => (await first.kinds("1", "sent")).length > 0);
    await first.stop();
    // As after a restart of a Redis that may have lost its end.
    await first.link.command("HSET", agentKeys(legion, "1").meta, "run", "before");
    const real = await openTestLink(server.url);
    const { log } = agentKeys(legion, "1");
    let reads = 0;
    const link = withPause(real, (name, [key, from]) => {
      if (name === "XRANGE" && key === log && from === "0-1" && ++reads > 1)
        throw new LegionError("STORAGE", "out of reach");
    });
    const strays: unknown[] = [];
    const keep = (error: unknown): void => void strays.push(error);
    process.on("unhandledRejection", keep);
    const second = await openNode(server.url, legion, { 1: {} }, { home: { link, durability: "weak" } });
    await until(() => reads > 1);
    await second.stop();
    process.off("unhandledRejection", keep);
    expect(strays).toEqual([]);
  });
});
