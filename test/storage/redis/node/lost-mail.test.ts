import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClock } from "../../../../src/base/clock.ts";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import type { Link } from "../../../../src/storage/redis/connection/link.ts";
import type { RedisHome } from "../../../../src/storage/redis/node/node.ts";
import { openRedisStore } from "../../../../src/storage/redis/store.ts";
import { openTestLink } from "../members.ts";
import { newLegion } from "../places.ts";
import { openNode } from "../redis-world.ts";
import { redisIsThere, startRedis, until, type Server } from "../servers.ts";

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

  it("is offered from where its recipient says it has come, and no more", async () => {
    const legion = newLegion();
    let asked = 0;
    const agents = { 1: { script: () => (++asked <= 3 ? WRITE : NOOP) }, 2: { script: () => NOOP } };
    const weak = { durability: "weak" } as const;
    const first = await openNode(server.url, legion, agents, { home: weak });
    await first.say("1", "Write to 2 again and again.");
    await until(async () => (await first.kinds("2", "message")).length === 3);
    await until(async () => (await first.kinds("1", "decision")).length > 3);
    const log = (await first.kinds("1", "opened"))[0]!.log;
    await first.stop();
    await first.link.command("HSET", agentKeys(legion, "2").seen, log, 1);
    await first.link.command("HSET", agentKeys(legion, "1").meta, "run", "before");

    const link = await openTestLink(server.url);
    const offered: unknown[] = [];
    const watched: Link = {
      ...link,
      get standing() {
        return link.standing;
      },
      run(script, keys, args) {
        if (script.name === "deliver") offered.push(...args.filter((arg) => arg === log || arg === "0>1#1"));
        return link.run(script, keys, args);
      },
    };
    const second = await openNode(server.url, legion, { 1: agents[1] }, { home: { ...weak, link: watched } });
    const { meta } = agentKeys(legion, "1");
    await until(async () => (await link.command("HEXISTS", meta, "unoffered")) === 0);
    expect(offered).toEqual([log, log]);
    await second.stop();
  });

  it("is offered again also where only the recipient's server was taken over by another one", async () => {
    const legion = newLegion();
    let asked = 0;
    const agents = { 1: { script: () => (++asked === 1 ? WRITE : NOOP) }, 2: { script: () => NOOP } };
    const first = await openNode(server.url, legion, agents, { home: await clusterHome("one two") });
    await first.say("1", "Write to 2.");
    await first.say("2", "Listen to 1.");
    await until(async () => (await first.kinds("2", "message")).length === 2);
    await until(async () => (await first.kinds("1", "decision")).length > 1);
    await first.stop();
    const two = agentKeys(legion, "2");
    await first.link.command("UNLINK", two.log, two.mailbox, two.seen);
    await first.link.command("HDEL", two.meta, "seq", "log", "mail", "taken");

    const second = await openNode(server.url, legion, agents, { home: await clusterHome("one three") });
    await until(async () => (await second.kinds("2", "message")).length === 2);
    const contents = (await second.kinds("2", "message")).map(({ message }) => message.content);
    expect(contents.sort()).toEqual(["Hi.", "Listen to 1."]);
  });
});

/** A home in servers that bear these run ids. */
async function clusterHome(runIds: string): Promise<Partial<RedisHome>> {
  const link = await openTestLink(server.url);
  const home: Link = {
    ...link,
    get standing() {
      return link.standing;
    },
    incarnation: () => Promise.resolve(runIds),
  };
  return { link: home, durability: "weak" };
}
