import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { LEASES } from "../../../../src/base/process/measured.ts";
import { agentKeys, legionKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import { renewLease } from "../../../../src/storage/redis/scripts/lease.ts";
import { join, makeKnown, stands, taken, takenAtLast, type Member } from "../members.ts";
import { newLegion } from "../places.ts";
import { redisIsThere, startRedis, until, type Server } from "../servers.ts";

const SHORT_MS = 300;
let server: Server;
let legion: string;

beforeAll(async () => void (server = await startRedis()));
afterAll(() => server.stop());
beforeEach(() => void (legion = newLegion()));

/** Two processes of a legion that has the agents 1 and 2. */
async function two(options: Parameters<typeof join>[2] = {}): Promise<readonly [Member, Member]> {
  const [first, second] = [await join(server.url, legion, options), await join(server.url, legion, options)];
  await makeKnown(first.link, legion, ["1", "2"]);
  return [first, second];
}

/** What is told of trouble with leases, from now on. */
function hearTroubles(): readonly unknown[] {
  const troubles: unknown[] = [];
  const hear = (trouble: unknown): void => void troubles.push(trouble);
  LEASES.subscribe(hear);
  onTestFinished(() => {
    LEASES.unsubscribe(hear);
  });
  return troubles;
}

/** Keeps the event loop busy, as if the process were stopped. */
function stall(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

describe.skipIf(!redisIsThere)("the right to run an agent", () => {
  it("is given to one process, and another is told how long that may hold", async () => {
    const [first, second] = await two();
    const tenure = await taken(first.leases, "1");
    expect(tenure).toMatchObject({ agent: "1", epoch: 1, past: "whole" });
    expect(tenure.token).toMatch(/^1:[-\w]{36}$/);
    const answer = await second.leases.acquire("1");
    expect((answer as { waitMs: number }).waitMs).toBeGreaterThan(5_000);
    expect([first.leases.held("1"), second.leases.held("1")]).toEqual([tenure, undefined]);
  });

  it("is not given for an agent that nobody made known, nor for one that a person stopped", async () => {
    const [{ leases, link }] = await two();
    expect(await leases.acquire("9")).toBe("unknown");
    await link.command("hset", agentKeys(legion, "2").meta, "stopped", 1);
    expect(await leases.acquire("2")).toBe("stopped");
    for (const key of [agentKeys(legion, "9").meta, agentKeys(legion, "2").lease]) {
      expect(await link.command("exists", key)).toBe(0);
    }
  });

  it("is kept by renewals, which tell each time how much mail there is", async () => {
    const told: string[] = [];
    const onMail = (agent: string, position: number): void => void told.push(`${agent}: ${position}`);
    const [first, second] = await two({ leaseMs: 2_000, onMail });
    const tenure = await taken(first.leases, "1");
    await first.link.command("hset", agentKeys(legion, "1").meta, "mail", 7);
    await until(() => told.filter((text) => text === "1: 7").length === 4 || tenure.lost.aborted);
    expect(await second.leases.acquire("1")).toHaveProperty("waitMs");
    expect(stands(tenure)).toBe(true);
  });

  it("is gone for a process that was stopped, before any of its timers has run (T2)", async () => {
    const troubles = hearTroubles();
    const [{ leases }] = await two({ leaseMs: SHORT_MS });
    const tenure = await taken(leases, "1");
    stall(SHORT_MS);
    expect(tenure.lost.aborted).toBe(false);
    expect(() => tenure.check()).toThrow(
      "This process does not run Agent 1 any more: its right was not renewed in time.",
    );
    expect(tenure.lost.aborted).toBe(true);
    expect(troubles).toEqual(["late"]);
    expect(leases.held("1")).toBeUndefined();
  });

  it("has ended where Redis is out of reach before another process can have it (T1)", async () => {
    const [first, second] = await two({ leaseMs: SHORT_MS });
    const tenure = await taken(first.leases, "1");
    first.link.isCut = true;
    const next = await takenAtLast(second.leases, "1");
    expect(tenure.lost.aborted).toBe(true);
    expect(next.epoch).toBe(tenure.epoch + 1);
  });

  it("outlives a renewal that failed (T4)", async () => {
    const troubles = hearTroubles();
    const [{ leases, link }] = await two({ leaseMs: 2_000 });
    const tenure = await taken(leases, "1");
    link.isCut = true;
    await until(() => link.refused > 0 && troubles.length > 0);
    expect(new Set(troubles)).toEqual(new Set(["unsaid"]));
    link.isCut = false;
    expect(stands(tenure)).toBe(true);
  });

  it("can be had at once when it was given back, and everybody is told", async () => {
    const [first, second] = await two();
    const said: string[] = [];
    await second.link.listen(legionKeys(legion).free, (text) => void said.push(text));
    const tenure = await taken(first.leases, "1");
    await Promise.all([tenure.release(), tenure.release()]);
    expect(await taken(second.leases, "1")).toMatchObject({ epoch: 2 });
    await until(() => said.length > 0);
    expect([said, stands(tenure), first.leases.held("1")]).toEqual([["1"], false, undefined]);
  });

  it("is neither renewed nor given back under an old token", async () => {
    const [first, second] = await two({ leaseMs: SHORT_MS });
    const tenure = await taken(first.leases, "1");
    first.link.isCut = true;
    await takenAtLast(second.leases, "1");
    first.link.isCut = false;
    const terms = { owner: first.node, leaseMs: SHORT_MS, token: tenure.token };
    expect(await renewLease({ link: first.link, legion, agent: "1" }, terms)).toBe("lost");
    const before = await first.link.command("get", agentKeys(legion, "1").token);
    await tenure.release();
    expect(await first.link.command("get", agentKeys(legion, "1").token)).toBe(before);
  });

  it("ends at the first renewal that finds another owner", async () => {
    const [first, second] = await two({ leaseMs: 4_000 });
    const tenure = await taken(first.leases, "1");
    // As after a fault that took the lease away in Redis alone.
    await until(async () => {
      await second.link.command("del", agentKeys(legion, "1").lease);
      return taken(second.leases, "1").then(Boolean, () => false);
    });
    await until(() => tenure.lost.aborted);
    expect(() => tenure.check()).toThrow(/another process took it over/);
  });

  it("is renewed also when its lease has run out in Redis and nobody took it", async () => {
    const [first, second] = await two({ leaseMs: 4_000 });
    const tenure = await taken(first.leases, "1");
    const { lease } = agentKeys(legion, "1");
    await second.link.command("del", lease);
    await until(async () => (await second.link.command("exists", lease)) === 1);
    expect(stands(tenure)).toBe(true);
  });

  it("may be taken again by its owner, which voids what was begun before", async () => {
    const [{ leases, link, node }] = await two();
    const old = await taken(leases, "1");
    const tenure = await taken(leases, "1");
    expect([stands(old), stands(tenure), tenure.epoch]).toEqual([false, true, 2]);
    expect(leases.held("1")).toBe(tenure);
    const terms = { owner: node, leaseMs: 10_000, token: old.token };
    expect(await renewLease({ link, legion, agent: "1" }, terms)).toBe("lost");
    await old.release();
    expect(stands(leases.held("1"))).toBe(true);
  });

  it("is ended by whoever finds that something is not as it should be, and may be taken anew", async () => {
    const [{ leases }] = await two();
    const tenure = await taken(leases, "1");
    tenure.end("its log has another end");
    expect(() => tenure.check()).toThrow(
      "This process does not run Agent 1 any more: its log has another end.",
    );
    expect(leases.held("1")).toBeUndefined();
    expect(stands(await taken(leases, "1"))).toBe(true);
  });

  it("is given back by a process that closes, also if it was given meanwhile", async () => {
    const [first, second] = await two();
    await taken(first.leases, "1");
    const late = first.leases.acquire("2");
    await first.leases.close();
    await late;
    for (const agent of ["1", "2"]) expect(await taken(second.leases, agent)).toMatchObject({ epoch: 2 });
  });

  it("takes no timer for each agent", async () => {
    const agents = Array.from({ length: 200 }, (_, i) => `agent-${i}`);
    const { leases, link } = await join(server.url, legion);
    await makeKnown(link, legion, agents);
    await Promise.all(agents.map((agent) => taken(leases, agent)));
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    // Those of the link, and of the test.
    await until(() => timers() < 10);
    expect(agents.every((agent) => stands(leases.held(agent)))).toBe(true);
  });
});
