// A legion in Redis, opened by one of its processes: a node that runs agents of it, or a command that does one thing.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { createRedisBus, type RedisBus } from "./mail/bus.ts";
import type { Inspect } from "../../domain/inspection.ts";
import type { Persistence } from "./scripts/lease.ts";
import { createLeases, type Leases } from "./cluster/leases.ts";
import type { Registry } from "./cluster/directory.ts";
import { createRedisAgents, type RedisAgentsOptions } from "./agents.ts";
import { openRedisControl } from "./person/control.ts";
import { openRedisRecords } from "./records.ts";
import type { Store } from "../contract/store.ts";

export interface RedisStoreOptions extends Pick<RedisAgentsOptions, "link" | "legion" | "clock" | "copies"> {
  readonly role: "node" | "command";
  readonly inspect?: Inspect;
  /** May this Redis lose what it acknowledged? Default `weak`: whoever does not know doubts it. */
  readonly durability?: Persistence;
  readonly leaseMs?: number;
}

export interface RedisStore extends Store {
  /** What leases are taken under. */
  readonly node: string;
  readonly leases: Leases;
  readonly registry: Registry;
}

/** Rejects with STORAGE if Redis cannot be reached. The link is the caller's, also afterwards. */
export async function openRedisStore(options: RedisStoreOptions): Promise<RedisStore> {
  const { link, legion, role, clock, inspect = () => undefined, leaseMs, durability = "weak" } = options;
  const node = `${process.pid}@${hostname()}/${randomUUID()}`;
  const place = { link, legion };
  const records = await openRedisRecords({ ...place, clock, role });
  const leases = createLeases({
    ...place,
    node,
    durability,
    ...(leaseMs !== undefined && { leaseMs }),
    onMail: (agent, position) => bus.heard(agent, position),
  });
  const bus: RedisBus = createRedisBus({ ...place, tenureOf: leases.held });
  const closeRest = async (): Promise<void> => {
    await leases.close();
    await bus.close();
  };
  const control = await openRedisControl({
    ...place,
    bus,
    clock,
    inspect,
    known: records.knownNow,
    role,
  }).catch(async (error: unknown) => {
    await records.close();
    await closeRest();
    throw error;
  });
  const agents = createRedisAgents({ ...options, inspect, leases, bus });
  return {
    node,
    leases,
    registry: records.registry,
    bus,
    control,
    ...records.offers,
    ...agents,
    writerFor: (agent) => (records.registry.agents.has(agent) ? agents.borrowed(agent) : undefined),
    // Control's are delivered by every node, an agent's by whoever runs it.
    deliverForOthers: () => Promise.resolve(),
    mendMailboxes: () => Promise.resolve(),
    async close() {
      await records.close();
      await control.close();
      await closeRest();
    },
  };
}
