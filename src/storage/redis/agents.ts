// The logs of a legion in Redis: opened by whoever has the right to run the agent, also for a single errand.

import type { RedisBus } from "./mail/bus.ts";
import type { Clock } from "../../base/clock.ts";
import { copyBlobs, createCopies } from "../folder/copies.ts";
import { LegionError } from "../../base/errors.ts";
import type { Inspect } from "../../domain/inspection.ts";
import { account, createLedger } from "../../past/ledger.ts";
import type { Disk } from "../../base/files/disk.ts";
import { createRedisBlobs } from "./log/blobs.ts";
import { openRedisLog, readRedisLog } from "./log/log.ts";
import { openMemory, type Memory } from "../../past/past.ts";
import { displayName, type AgentId } from "../../domain/message.ts";
import { createOutbox } from "../../mail/outbox.ts";
import type { LegionPaths } from "../folder/paths.ts";
import type { Leases } from "./cluster/leases.ts";
import type { LegionPlace } from "./scripts/scope.ts";
import type { Tenure } from "../../domain/lease.ts";
import type { Writer, Writing } from "../../mail/log-access.ts";
import { UNHOSTED, type AgentMemoryOptions, type Store } from "../contract/store.ts";

export interface RedisAgents extends Pick<
  Store,
  "events" | "blobs" | "ledger" | "projector" | "tenure" | "openAgent"
> {
  /** Writes to an agent that nobody runs, for one errand at a time; rejects with LOCKED if somebody does. */
  borrowed(agent: AgentId): Writer;
}

export interface RedisAgentsOptions extends LegionPlace {
  readonly clock: Clock;
  /** Where readable copies go; absent: nowhere. */
  readonly copies?: { readonly disk: Disk; readonly paths: LegionPaths };
  readonly inspect: Inspect;
  readonly leases: Leases;
  readonly bus: RedisBus;
}

export function createRedisAgents(options: RedisAgentsOptions): RedisAgents {
  const { link, legion, clock, copies, inspect, leases } = options;
  const placeOf = (agent: AgentId) => ({ link, legion, agent });
  const tenure = (agent: AgentId): Tenure => {
    const held = leases.held(agent);
    if (held) return held;
    throw new LegionError("LOCKED", `${displayName(agent)} is not run by this process.`);
  };
  const openAgent = async (agent: AgentId, { view, projector }: AgentMemoryOptions): Promise<Memory> => {
    const right = tenure(agent);
    return openMemory({ agent, view, projector, inspect }, async (each) => ({
      log: await openRedisLog({ ...placeOf(agent), tenure: right, now: clock.now }, each),
      findings: [],
    }));
  };
  return {
    events: (agent) => readRedisLog(placeOf(agent)),
    blobs(agent) {
      const blobs = createRedisBlobs(placeOf(agent));
      return copies ? copyBlobs(blobs, copies.paths.blobs(agent), copies.disk) : blobs;
    },
    async ledger(agent) {
      const ledger = createLedger();
      for await (const event of readRedisLog(placeOf(agent))) account(ledger, event);
      return ledger;
    },
    projector(agent, modules) {
      if (!copies) return UNHOSTED.projector;
      const original = `agent ${agent} of the legion "${legion}" in ${link.shown}`;
      return createCopies(modules, { disk: copies.disk, folder: copies.paths.agent(agent), original });
    },
    tenure,
    openAgent,
    borrowed: (agent) => ({ alone: (work) => borrow(agent, work, { ...options, openAgent }) }),
  };
}

interface Borrowing extends RedisAgentsOptions {
  readonly openAgent: RedisAgents["openAgent"];
}

async function borrow<T>(
  agent: AgentId,
  work: (log: Writing) => Promise<T>,
  { leases, openAgent, bus, clock }: Borrowing,
): Promise<T> {
  const right = await leases.acquire(agent, "errand");
  if (typeof right === "string")
    throw new LegionError("REFUSED", `There is no ${displayName(agent)} any more.`);
  if (!("token" in right)) throw new LegionError("LOCKED", `${displayName(agent)} is run by a node.`);
  try {
    const memory = await openAgent(agent, UNHOSTED);
    const outbox = createOutbox(memory, bus, clock);
    try {
      const made = await work({ memory, outbox });
      await outbox.deliver();
      return made;
    } finally {
      await outbox.close();
      await memory.close();
    }
  } finally {
    await right.release();
  }
}
