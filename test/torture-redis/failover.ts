// How long an agent is still when its node ends: from the last commit there to the first decision elsewhere. Every agent
// decides again and again, so that it is never still for another reason.

import { Redis } from "ioredis";
import { setTimeout as delay } from "node:timers/promises";
import { seeded } from "../torture/seeded.ts";
import { AGENTS, LEGION, openStage, type Stage } from "./stage.ts";

export interface FailoverOptions {
  readonly seed: number;
  readonly leaseMs: number;
  readonly rounds: number;
  /** `kill`: the process dies. `stop`: it is told to end. */
  readonly by: "kill" | "stop";
}

/** Seldom enough that logs stay short: a takeover reads all of one. */
const DECISION_MS = 100;
/** How long everybody has to find a place. */
const BALANCING_MS = 3_000;

/** Resolves with the milliseconds of each agent that was taken over. */
export async function timeFailover(options: FailoverOptions): Promise<readonly number[]> {
  const crashes: string[] = [];
  const stage = await openStage({
    leaseMs: options.leaseMs,
    steps: 1_000_000,
    durability: "always",
    workFor: () => ({ kind: "ticking", everyMs: DECISION_MS }),
    onCrash: (text) => crashes.push(text),
  });
  try {
    const times = await timeRounds(options, stage);
    if (crashes[0] !== undefined) throw new Error(crashes[0]);
    return times;
  } finally {
    await stage.close("remove");
  }
}

async function timeRounds(
  { seed, leaseMs, rounds, by }: FailoverOptions,
  { members, server }: Stage,
): Promise<readonly number[]> {
  const random = seeded(seed);
  const redis = new Redis({ port: server.port, host: "127.0.0.1" });
  const times: number[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      await delay(BALANCING_MS + leaseMs / 2);
      const victim = members[Math.floor(random() * members.length)]!;
      const orphans = await agentsAt(redis, victim.pid);
      await (by === "kill" ? victim.kill() : victim.stop());
      for (const agent of orphans) times.push(await timeOne(redis, agent));
      victim.start();
      await victim.ready();
    }
    return times;
  } finally {
    redis.disconnect();
  }
}

/** What was committed last under the right that its node had, and by whom it is run from then on. */
interface Orphan {
  readonly agent: string;
  readonly epoch: number;
}

/** The owner of a lease is `<pid>@<host>/<nonce>`. */
async function agentsAt(redis: Redis, pid: number | undefined): Promise<readonly Orphan[]> {
  const orphans: Orphan[] = [];
  for (const agent of AGENTS) {
    const owner = await redis.get(`lg:{${LEGION}:${agent}}:lease`);
    const epoch = Number(await redis.get(`lg:{${LEGION}:${agent}}:epoch`));
    if (owner?.startsWith(`${pid}@`)) orphans.push({ agent, epoch });
  }
  return orphans;
}

const LOOK_MS = 50;
const LOOKED_AT = 1_000;

/** Looks until the agent has decided under a later right. */
async function timeOne(redis: Redis, { agent, epoch }: Orphan): Promise<number> {
  for (;;) {
    const entries = await redis.xrevrange(`lg:{${LEGION}:${agent}}:log`, "+", "-", "COUNT", LOOKED_AT);
    const moments = entries.reverse().map(([, [, event, , by]]) => {
      const { at, kind } = JSON.parse(event!) as { readonly at: string; readonly kind: string };
      return { at: Date.parse(at), kind, epoch: Number(by) };
    });
    const last = moments.findLast((moment) => moment.epoch === epoch);
    const first = moments.find((moment) => moment.epoch > epoch && moment.kind === "decision");
    if (last && first) return first.at - last.at;
    await delay(LOOK_MS);
  }
}

/** @param share from 0 to 1 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}
