import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRedisCeiling } from "../../../../src/storage/redis/node/ceiling.ts";
import { createBudget } from "../../../../src/agent/parts/budget.ts";
import { createLedger } from "../../../../src/past/ledger.ts";
import { legionKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import { NOTHING } from "../../../../src/past/limits/spending.ts";
import { openTestLink } from "../members.ts";
import { openNode } from "../redis-world.ts";
import { redisIsThere, startRedis, until, type Server } from "../servers.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());
let names = 0;
const legion = (): string => `limited-${++names}`;
const FREE = { input: 10, output: 5, price: undefined };

describe.runIf(redisIsThere)("the limits of a legion in Redis", () => {
  it("are one purse for all processes: of many calls at once exactly those that fit are admitted (G1)", async () => {
    const name = legion();
    const place = { link: await openTestLink(server.url), legion: name };
    const others = { link: await openTestLink(server.url), legion: name };
    const limits = { steps: 7 };
    const budgets = [
      createBudget(limits, await openRedisCeiling(place, limits)),
      createBudget(limits, await openRedisCeiling(others, limits)),
    ];
    const calls = Array.from({ length: 20 }, (_, n) =>
      budgets[n % 2]!.admit({ agent: `${n}`, epoch: 1, ledger: createLedger(), limits: {} }, FREE),
    );
    const settled = await Promise.allSettled(calls);
    const admitted = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(admitted).toHaveLength(7);
    expect(admitted.filter(({ last }) => last)).toHaveLength(1);
    const refused = settled.find((one) => one.status === "rejected");
    expect(String(refused?.reason)).toContain("the legion may make 7 model calls");
  });

  it("count money to the billionth, and what is settled is free again", async () => {
    const place = { link: await openTestLink(server.url), legion: legion() };
    const ceiling = await openRedisCeiling(place, { cost: 1 });
    const budget = createBudget({}, ceiling);
    const spender = { agent: "1", epoch: 1, ledger: createLedger(), limits: {} };
    const price = { input: 0.1, output: 0 };
    // A tenth of a dollar each, which no fraction of two can say.
    const calls = [];
    for (let n = 0; n < 10; n++)
      calls.push(await budget.admit(spender, { input: 1_000_000, output: 0, price }));
    await expect(budget.admit(spender, { input: 1, output: 0, price })).rejects.toThrow(
      "the legion may spend 1 USD",
    );
    calls.pop()!.settle();
    await until(() => budget.fits(spender, { input: 1_000_000, output: 0, price }));
  });

  it("forget nothing of a process that died, until whoever has the agent now tells what it came to", async () => {
    const name = legion();
    const place = { link: await openTestLink(server.url), legion: name };
    const ceiling = await openRedisCeiling(place, { steps: 10 });
    const dead = { agent: "1", epoch: 1, ledger: createLedger() };
    await ceiling.reserve(dead, NOTHING, { ...NOTHING, steps: 4 });
    ceiling.settle({ agent: "1", epoch: 2, ledger: createLedger() }, { ...NOTHING, steps: 1 });
    const { spent } = legionKeys(name);
    await until(async () => (await place.link.command("HGET", spent, "steps")) === "1");
    // A word that comes late, from the process that has lost the agent, changes nothing.
    await expect(ceiling.reserve(dead, NOTHING, { ...NOTHING, steps: 4 })).rejects.toThrow("another process");
    expect(await place.link.command("HGET", spent, "steps")).toBe("1");
  });

  it("park agents on different nodes when the legion has spent what it may", async () => {
    const name = legion();
    const busy = { script: () => ({ calls: [{ action: "currentObjective" }] }) };
    const limits = { steps: 6 };
    const one = await openNode(server.url, name, { 1: busy }, { limits });
    const two = await openNode(server.url, name, { 2: busy }, { limits });
    await one.say("1", "Go.");
    await two.say("2", "Go.");
    for (const [node, id] of [
      [one, "1"],
      [two, "2"],
    ] as const)
      await until(() => node.legion.agents.get(id)?.standing.state === "parked");
    const prompted = [...(await one.kinds("1", "prompted")), ...(await one.kinds("2", "prompted"))];
    expect(prompted).toHaveLength(6);
    expect(one.legion.agents.get("1")!.standing.reason).toMatch(/may make 6 model calls|called .* times/);
  });

  it("give back what a refused call had reserved, at once and for good", async () => {
    const name = legion();
    const refused = { code: "MODEL_BUSY", retryAfterMs: 300_000, refused: { status: 429 } } as const;
    const one = await openNode(
      server.url,
      name,
      { 1: { script: () => ({ error: refused }) } },
      { limits: { steps: 1 } },
    );
    await one.say("1", "Go.");
    await until(async () => (await one.kinds("1", "refused")).length === 1);
    const { spent } = legionKeys(name);
    await until(async () => (await one.link.command("HGET", spent, "steps")) === "0");
    expect(await one.link.command("HGET", spent, "tokens")).toBe("0");
    const two = await openNode(server.url, name, { 2: { script: ["Done."] } }, { limits: { steps: 1 } });
    await two.say("2", "Go.");
    await until(async () => (await two.kinds("2", "decision")).length === 1);
    expect(await one.link.command("HGET", spent, "steps")).toBe("1");
  });
});
