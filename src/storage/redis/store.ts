// A legion in Redis, opened by one of its processes: a node that runs agents of it, or a command that does one thing.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Clock } from "../../base/clock.ts";
import { LegionError } from "../../base/errors.ts";
import type { Disk } from "../../base/files/disk.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import type { Inspect } from "../../domain/inspection.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import { withMemories, type MemoryPost } from "../../mail/to-memories.ts";
import { createRedisMemories } from "./memories/memories.ts";
import { createOutbox } from "../../mail/outbox.ts";
import { openMemory } from "../../past/past.ts";
import { createResting, restsHere, type Resting } from "../contract/resting.ts";
import { UNHOSTED, type Store } from "../contract/store.ts";
import { copyBlobs, createCopies } from "../folder/copies.ts";
import type { LegionPaths } from "../folder/paths.ts";
import type { Registry } from "./cluster/directory.ts";
import { createLeases, type Leases } from "./cluster/leases.ts";
import { createRedisBlobs } from "./log/entry.ts";
import { openRedisLog } from "./log/log.ts";
import { createRedisBus, type RedisBus } from "./mail/bus.ts";
import { openRedisControl } from "./person/control.ts";
import type { PackedStanding } from "../../past/digest/standing.ts";
import { createRedisReader } from "./reader/reader.ts";
import { createRedisStandings } from "./reader/standings.ts";
import { openRedisRecords } from "./records.ts";
import type { Persistence } from "./scripts/lease.ts";
import type { LegionPlace } from "./scripts/scope.ts";

export interface RedisStoreOptions extends LegionPlace {
  readonly role: "node" | "command";
  readonly clock: Clock;
  /** Where readable copies go; absent: nowhere. */
  readonly copies?: { readonly disk: Disk; readonly paths: LegionPaths };
  readonly inspect?: Inspect;
  /** Of what is written. Absent: nothing is hidden. */
  readonly redactor?: Redactor;
  /** May this Redis lose what it acknowledged? Default `weak`: whoever does not know doubts it. */
  readonly durability?: Persistence;
  readonly leaseMs?: number;
  /** What is sent to long-term memories goes there; those of this legion if absent. */
  readonly memories?: MemoryPost;
}

export interface RedisStore extends Store {
  /** What leases are taken under. */
  readonly node: string;
  readonly leases: Leases;
  readonly registry: Registry;
  readonly resting: Resting;
  readonly rests: Pick<ReturnType<typeof createResting>, "begin" | "during">;
}

/** Rejects with STORAGE if Redis cannot be reached. The link is the caller's, also afterwards. */
export async function openRedisStore(options: RedisStoreOptions): Promise<RedisStore> {
  const { link, legion, role, clock, redactor, leaseMs, durability = "weak" } = options;
  const { inspect = () => undefined } = options;
  const node = `${process.pid}@${hostname()}/${randomUUID()}`;
  const place = { link, legion };
  const records = await openRedisRecords({ ...place, clock, role });
  const { registry } = records;
  const leases = createLeases({
    ...place,
    node,
    durability,
    ...(leaseMs !== undefined && { leaseMs }),
    onMail: (agent, position) => bus.heard(agent, position),
  });
  const memories = options.memories ?? createRedisMemories({ ...place, redactor });
  const bus: RedisBus = withMemories(createRedisBus({ ...place, tenureOf: leases.held }), memories);
  const closeRest = async (): Promise<void> => {
    await leases.close();
    await bus.close();
  };
  const known = async (): Promise<readonly AgentId[]> => {
    await registry.refresh();
    return records.offers.known();
  };
  const control = await openRedisControl({ ...place, bus, clock, inspect, redactor, known, role }).catch(
    async (error: unknown) => {
      await records.close();
      await closeRest();
      throw error;
    },
  );
  const logs = createLogs({ ...options, inspect }, { leases, bus });
  const rests = createResting(restsHere(), (agent) =>
    bus.watch(logs.tenure(agent), () => void rests.resting.wake(agent)),
  );
  return {
    node,
    leases,
    registry,
    bus,
    control,
    ...records.offers,
    ...logs,
    rests,
    resting: rests.resting,
    writerFor: (agent) => (registry.agents.has(agent) ? logs.writerFor(agent) : undefined),
    // Control's are delivered by every node, an agent's by whoever runs it.
    deliverForOthers: () => Promise.resolve(),
    async close() {
      await records.close();
      await control.close();
      await closeRest();
    },
  };
}

interface Rights {
  readonly leases: Leases;
  readonly bus: RedisBus;
}

/** The logs: opened by whoever has the right to run the agent, also for a single errand. */
function createLogs(
  { link, legion, clock, copies, inspect, redactor }: RedisStoreOptions & { readonly inspect: Inspect },
  rights: Rights,
) {
  const placeOf = (agent: AgentId) => ({ link, legion, agent });
  const { events, ledger } = createRedisReader({ link, legion });
  const tenure: Store["tenure"] = (agent) => {
    const held = rights.leases.held(agent);
    if (held) return held;
    throw new LegionError("LOCKED", `${displayName(agent)} is not run by this process.`);
  };
  const openAgent: Store["openAgent"] = async (agent, { view, projector }) => {
    const right = tenure(agent);
    const standings = createRedisStandings(placeOf(agent));
    return openMemory({ agent, view, projector, inspect, redactor }, async (each) => {
      const place = { ...placeOf(agent), tenure: right, now: clock.now };
      const [log, known] = await Promise.all([openRedisLog(place, each), standings.last()]);
      const keepStanding = async (pack: () => PackedStanding | undefined): Promise<void> => {
        const packed = log.last === known ? undefined : pack();
        if (packed) await standings.keep(packed);
      };
      return { log, findings: [], keepStanding };
    });
  };
  return {
    events,
    ledger,
    blobs(agent) {
      const blobs = createRedisBlobs(placeOf(agent));
      return copies ? copyBlobs(blobs, copies.paths.blobs(agent), copies.disk) : blobs;
    },
    projector(agent, modules) {
      if (!copies) return UNHOSTED.projector;
      const original = `agent ${agent} of the legion "${legion}" in ${link.shown}`;
      return createCopies(modules, { disk: copies.disk, folder: copies.paths.agent(agent), original });
    },
    tenure,
    openAgent,
    writerFor: (agent) => ({
      alone: (work) =>
        borrow(agent, rights, async () => {
          const memory = await openAgent(agent, UNHOSTED);
          const outbox = createOutbox(memory, rights.bus, clock);
          try {
            const made = await work({ memory, outbox });
            await outbox.deliver();
            return made;
          } finally {
            await outbox.close();
            await memory.close();
          }
        }),
    }),
  } satisfies Partial<Store>;
}

/** Runs `work` with the right to an agent that nobody runs. Rejects with LOCKED if somebody does. */
async function borrow<T>(agent: AgentId, { leases }: Rights, work: () => Promise<T>): Promise<T> {
  const right = await leases.acquire(agent, "errand");
  if (typeof right === "string")
    throw new LegionError("REFUSED", `There is no ${displayName(agent)} any more.`);
  if (!("token" in right)) throw new LegionError("LOCKED", `${displayName(agent)} is run by a node.`);
  try {
    return await work();
  } finally {
    await right.release();
  }
}
