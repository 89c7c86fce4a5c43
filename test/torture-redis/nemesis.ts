// Does something bad to a node, or to Redis, every few hundred milliseconds. What it does follows from the seed; what that
// hits is up to the machine.

import { setTimeout as delay } from "node:timers/promises";
import type { Server } from "../storage/redis/servers.ts";
import type { Member } from "./member.ts";

/**
 * - `kill`: the process of a node dies, and another one takes its place.
 * - `stop`: it stands still for longer than its leases, in the middle of its work, and goes on as if nothing had been.
 * - `cut`: nothing passes between it and Redis for a while, and then everything does.
 * - `leave`: it is told to stop, and started again.
 * - `redis`: the server dies and is started again.
 */
export type Trouble = "kill" | "stop" | "cut" | "leave" | "redis";

/** How often each comes, in proportion to the others. */
export type Weights = Readonly<Record<Trouble, number>>;

export interface Nemesis {
  readonly members: readonly Member[];
  readonly server: Pick<Server, "kill" | "restart">;
  readonly leaseMs: number;
  readonly weights: Weights;
  /** Between two troubles, from half to one and a half of it. */
  readonly everyMs: number;
  readonly random: () => number;
}

export type Counts = Record<Trouble, number>;

/** In leases: how long nobody is troubled again. Whoever has nothing yet has nothing to lose. */
const RESPITE = 1.5;

/** Resolves when all that it did is over again: every node is there and can reach Redis. */
export async function haunt(nemesis: Nemesis, forMs: number): Promise<Counts> {
  const { members, weights, everyMs, random } = nemesis;
  const counts: Counts = { kill: 0, stop: 0, cut: 0, leave: 0, redis: 0 };
  const troubled = new Map<Member | "redis", Promise<void>>();
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    // The same numbers for the same seed, whoever is whole.
    const [pause, which, share] = [random(), random(), random()] as const;
    const kind = draw(weights, random);
    await delay(everyMs * (0.5 + pause));
    const whole = members.filter((member) => !troubled.has(member));
    const victim = kind === "redis" ? "redis" : whole[Math.floor(which * whole.length)];
    if (victim === undefined || troubled.has(victim)) continue;
    counts[kind]++;
    const ms = nemesis.leaseMs * share;
    const trouble = async (): Promise<void> => {
      await (victim === "redis" ? troubleRedis(nemesis, ms) : troubleNode(victim, kind, { ...nemesis, ms }));
      await delay(RESPITE * nemesis.leaseMs);
      troubled.delete(victim);
    };
    troubled.set(victim, trouble());
  }
  await Promise.all(troubled.values());
  return counts;
}

/** @param ms from 0 to the time of a lease */
async function troubleNode(
  member: Member,
  trouble: Trouble,
  { leaseMs, ms }: Pick<Nemesis, "leaseMs"> & { readonly ms: number },
): Promise<void> {
  if (trouble === "stop") {
    member.suspend();
    await delay(1.5 * leaseMs + 3 * ms);
    return member.resume();
  }
  if (trouble === "cut") {
    member.cutOff();
    await delay(0.5 * leaseMs + 4 * ms);
    return member.reunite();
  }
  await (trouble === "kill" ? member.kill() : member.stop());
  await delay(ms / 2);
  member.start();
  // Some die again before they are ready.
  if (ms > leaseMs / 5) await member.ready();
}

async function troubleRedis({ server }: Nemesis, ms: number): Promise<void> {
  await server.kill();
  await delay(ms);
  await server.restart();
}

function draw(weights: Weights, random: () => number): Trouble {
  const all = Object.entries(weights) as [Trouble, number][];
  let left = random() * all.reduce((sum, [, weight]) => sum + weight, 0);
  return all.find(([, weight]) => (left -= weight) < 0)![0];
}
