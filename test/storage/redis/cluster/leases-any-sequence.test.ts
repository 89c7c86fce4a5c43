import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Leases } from "../../../../src/storage/redis/cluster/leases.ts";
import type { Tenure } from "../../../../src/domain/lease.ts";
import { join, makeKnown, stands, taken, type Member } from "../members.ts";
import { newLegion } from "../places.ts";
import { redisIsThere, startRedis, until, type Server } from "../servers.ts";

const LEASE_MS = 100;
let server: Server;

beforeAll(async () => void (server = await startRedis({ config: ["appendonly no"] })));
afterAll(() => server.stop());

interface Step {
  readonly who: number;
  readonly what: "ask" | "give back" | "lose sight" | "see again" | "end" | "hang" | "insist";
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    who: fc.nat(4),
    what: fc.constantFrom("ask", "ask", "insist", "give back", "lose sight", "see again", "end", "hang"),
  }),
  { minLength: 5, maxLength: 40 },
);

/** Does to one process what `step` says; resolves when what it waits for has come. */
async function act({ leases, link }: Member, what: Step["what"]): Promise<Tenure | undefined> {
  const held = leases.held("1");
  if (what === "ask") return taken(leases, "1").catch(() => undefined);
  if (what === "give back") await held?.release();
  if (what === "lose sight" || what === "see again") link.isCut = what === "lose sight";
  if (what === "end") held?.end("a fault was found");
  if (what === "hang") for (const untilMs = performance.now() + LEASE_MS / 2; performance.now() < untilMs;);
  if (what === "insist") return insist(leases);
  return undefined;
}

/** Asks for a while, longer than a lease holds that is not renewed. */
async function insist(leases: Leases): Promise<Tenure | undefined> {
  const untilMs = performance.now() + 1.5 * LEASE_MS;
  let tenure: Tenure | undefined;
  await until(async () => {
    tenure = await taken(leases, "1").catch(() => undefined);
    return tenure !== undefined || performance.now() > untilMs;
  });
  return tenure;
}

describe.skipIf(!redisIsThere)("the right to run an agent", () => {
  it("is never with two of five processes at once, whatever happens to them, and each has a newer one (T1)", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const legion = newLegion();
        const members: Member[] = [];
        for (let n = 0; n < 5; n++) members.push(await join(server.url, legion, { leaseMs: LEASE_MS }));
        await makeKnown(members[0]!.link, legion, ["1"]);
        const epochs: number[] = [];
        for (const { who, what } of sequence) {
          const tenure = await act(members[who]!, what);
          if (tenure) epochs.push(tenure.epoch);
          const owners = members.filter(({ leases }) => stands(leases.held("1")));
          expect(owners.length).toBeLessThanOrEqual(1);
        }
        expect(epochs).toEqual(epochs.map((_, i) => i + 1));
        await Promise.all(members.map(({ leases, link }) => leases.close().then(() => link.close())));
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });

  it("is with one of them when all ask at once", async () => {
    const legion = newLegion();
    const members = await Promise.all(Array.from({ length: 5 }, () => join(server.url, legion)));
    const agents = Array.from({ length: 50 }, (_, i) => `agent-${i}`);
    await makeKnown(members[0]!.link, legion, agents);
    await Promise.all(members.flatMap(({ leases }) => agents.map((agent) => leases.acquire(agent))));
    for (const agent of agents) {
      expect(members.filter(({ leases }) => stands(leases.held(agent)))).toHaveLength(1);
    }
  });
});
