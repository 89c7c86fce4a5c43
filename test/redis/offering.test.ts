import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClock } from "../../src/clock.ts";
import { agentKeys } from "../../src/redis/keys.ts";
import { openRedisStore } from "../../src/store/redis-store.ts";
import { newLegion } from "./places.ts";
import { openNode } from "./redis-world.ts";
import { redisIsThere, startRedis, until, type Server } from "./servers.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

const WRITE = { calls: [{ action: "sendMessage", parameters: { targetAgentId: "2", message: "Hi." } }] };
const NOOP = { calls: [{ action: "noop" }] };

describe.skipIf(!redisIsThere)("what was sent before Redis may have lost something", () => {
  it("is offered again by the first node that takes the sender, also where a command had it before", async () => {
    const legion = newLegion();
    let asked = 0;
    const agents = { 1: { script: () => (++asked === 1 ? WRITE : NOOP) }, 2: { script: () => NOOP } };
    const weak = { home: { durability: "weak" } } as const;
    const first = await openNode(server.url, legion, agents, weak);
    await first.say("1", "Write to 2.");
    await until(async () => (await first.kinds("2", "message")).length > 0);
    await until(async () => (await first.kinds("1", "decision")).length > 1);
    await first.stop();
    const { link } = first;
    // One server of a Cluster was taken over by another one, which had nothing of agent 2 yet.
    const two = agentKeys(legion, "2");
    await link.command("UNLINK", two.log, two.mailbox, two.seen);
    await link.command("HDEL", two.meta, "seq", "log", "mail", "taken");
    const { meta } = agentKeys(legion, "1");
    await link.command("HSET", meta, "run", "before");
    const store = await openRedisStore({ link, legion, role: "command", clock: createClock() });
    await store
      .writerFor("1")!
      .alone(({ memory }) => memory.commit({ kind: "notice", reason: "resumed", content: "" }));
    await store.close();

    const second = await openNode(server.url, legion, agents, weak);
    await until(async () => (await second.kinds("2", "message")).length > 0);
    expect((await second.kinds("2", "message")).map(({ message }) => message.content)).toEqual(["Hi."]);
    await until(async () => (await link.command("HEXISTS", meta, "unoffered")) === 0);
  });
});
