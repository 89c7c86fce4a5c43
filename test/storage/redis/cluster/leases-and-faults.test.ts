import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentId } from "../../../../src/domain/message/message.ts";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import { join, makeKnown, stands, taken, takenAtLast, type Member } from "../members.ts";
import { newLegion } from "../places.ts";
import { freezingProxy } from "../proxy.ts";
import { redisIsThere, startCluster, startRedis, until, type Server } from "../servers.ts";

let server: Server;
let legion: string;

describe.skipIf(!redisIsThere)("the right to run an agent, where Redis fails", () => {
  beforeEach(async () => {
    server = await startRedis();
    legion = newLegion();
  });
  afterEach(() => server.stop());

  /** As whoever writes the log does. */
  const beginLog = ({ link }: Member, agent: AgentId): Promise<unknown> =>
    link.command("hset", agentKeys(legion, agent).meta, "log", randomUUID());

  it("ends when Redis was restarted, and is as renewed until there is another log (T3)", async () => {
    const member = await join(server.url, legion);
    await makeKnown(member.link, legion, ["1", "2"]);
    const tenures = [await taken(member.leases, "1"), await taken(member.leases, "2")];
    await beginLog(member, "1");
    await server.kill();
    await server.restart();
    await until(() => tenures.every(({ lost }) => lost.aborted));
    expect(() => tenures[0]!.check()).toThrow(/Redis was restarted/);
    expect(await takenAtLast(member.leases, "1")).toMatchObject({ past: "renewed" });
    // Whoever took it died before it could write anything.
    expect(await taken(member.leases, "1")).toMatchObject({ past: "renewed" });
    await beginLog(member, "1");
    expect(await taken(member.leases, "1")).toMatchObject({ past: "whole" });
    // Nothing was ever written there that could be lost.
    expect(await taken(member.leases, "2")).toMatchObject({ past: "whole" });
  });

  it("ends before anything can be done with what another Redis knew (T3)", async () => {
    const member = await join(server.url, legion);
    await makeKnown(member.link, legion, ["1"]);
    const tenure = await taken(member.leases, "1");
    const returned = new Promise<boolean>(
      (resolve) => void member.link.onReturn(() => resolve(tenure.lost.aborted)),
    );
    await server.kill();
    await server.restart();
    expect(await returned).toBe(true);
  });

  it("is over a whole log after a restart of a Redis that loses nothing", async () => {
    const member = await join(server.url, legion, { durability: "always" });
    await makeKnown(member.link, legion, ["1"]);
    const tenure = await taken(member.leases, "1");
    await beginLog(member, "1");
    await server.kill();
    await server.restart();
    await until(() => tenure.lost.aborted);
    expect(await takenAtLast(member.leases, "1")).toMatchObject({ epoch: 2, past: "whole" });
  });

  it("is kept, and given back, when the memory of Redis is full; it is only not given anew", async () => {
    const member = await join(server.url, legion, { leaseMs: 2_000 });
    const { link, leases } = member;
    await makeKnown(link, legion, ["1", "2"]);
    const tenure = await taken(leases, "1");
    const { lease } = agentKeys(legion, "1");
    await link.command("config", "set", "maxmemory", "1");
    await link.command("del", lease);
    await until(async () => (await link.command("exists", lease)) === 1);
    expect(stands(tenure)).toBe(true);
    await expect(leases.acquire("2")).rejects.toThrow(expect.objectContaining({ code: "STORAGE" }));
    await tenure.release();
    expect(await link.command("exists", lease)).toBe(0);
  });

  it("has ended behind a frozen connection before another process can have it (T1)", async () => {
    const proxy = await freezingProxy(server.port);
    const [frozen, other] = [
      await join(proxy.url, legion, { leaseMs: 400 }),
      await join(server.url, legion, { leaseMs: 400 }),
    ];
    await makeKnown(other.link, legion, ["1"]);
    const tenure = await taken(frozen.leases, "1");
    proxy.freeze();
    const next = await takenAtLast(other.leases, "1");
    expect(tenure.lost.aborted).toBe(true);
    proxy.thaw();
    // What was on its way arrives now, and changes nothing.
    await until(() =>
      frozen.leases.acquire("1").then(
        (answer) => answer !== "unknown",
        () => false,
      ),
    );
    expect(await other.link.command("get", agentKeys(legion, "1").token)).toBe(next.token);
    await proxy.close();
  });
});

describe.skipIf(!redisIsThere)("the right to run an agent, in a Cluster", () => {
  it("is taken, renewed and given back wherever the agent's keys are", async () => {
    const cluster = await startCluster();
    try {
      const agents = Array.from({ length: 30 }, (_, i) => `agent-${i}`);
      const [first, second] = [await join(cluster.url, "legion"), await join(cluster.url, "legion")];
      await makeKnown(first.link, "legion", agents);
      const tenures = await Promise.all(agents.map((agent) => taken(first.leases, agent)));
      expect(await second.leases.acquire("agent-7")).toHaveProperty("waitMs");
      await Promise.all(tenures.map((tenure) => tenure.release()));
      for (const agent of agents)
        expect(await taken(second.leases, agent)).toMatchObject({ epoch: 2, past: "whole" });
    } finally {
      await cluster.stop();
    }
  });
});
