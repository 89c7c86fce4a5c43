// Where a legion lives: in the files of this project, with all of its agents in this process; or in Redis, where other
// processes run agents of it as well.

import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { AgentPlan } from "./agent-plan.ts";
import type { Ceiling } from "./budget.ts";
import type { Clock } from "./clock.ts";
import { createBinding, enrollAll } from "./enrollment.ts";
import type { Hosting } from "./hosting.ts";
import type { Inspect } from "./inspection.ts";
import type { Limits } from "./limits.ts";
import { createDisk, type Disk } from "./log/disk.ts";
import type { Durability } from "./log/journal.ts";
import { takeLock } from "./log/lock.ts";
import type { AgentId } from "./message.ts";
import type { LegionPaths } from "./paths.ts";
import { offerWhatMayBeLost } from "./offering.ts";
import { startPlacement } from "./placement/placement.ts";
import { openRedisCeiling } from "./redis-ceiling.ts";
import type { Durability as RedisDurability } from "./redis/lease-scripts.ts";
import type { LegionPlace } from "./redis/nodes.ts";
import { setStopped } from "./redis/registry.ts";
import { spentOf } from "./spent.ts";
import { openFileStore } from "./store/file-store.ts";
import { openRedisStore } from "./store/redis-store.ts";
import type { Store } from "./store/store.ts";
import { workspaceId } from "./workspace-id.ts";

const LOCK_WAIT_MS = 5_000;
const SETTLING_MS = 5_000;

export interface Residence {
  readonly store: Store;
  /** The project's folder. */
  readonly disk: Disk;
  /** What this process is called among the nodes of the legion; absent: it is the only one. */
  readonly node?: string;
  /** Where the limits of the legion are kept; absent: where its agents are. */
  readonly ceiling?: Ceiling;
  /** Runs the agents that this process shall run. */
  begin(hosting: Hosting): Promise<Running>;
}

export interface Running {
  /** Resolves when it is known of every agent whether it runs here. */
  settled(): Promise<void>;
  /** Finishes what runs. */
  stop(): Promise<void>;
  /** Finishes what the agent is at; nobody runs it any more until a start names it again. */
  dismiss(agent: AgentId): Promise<void>;
}

export interface ResidenceOptions {
  readonly plans: readonly AgentPlan[];
  readonly limits: Limits;
  readonly durability: Durability;
  readonly disk?: Disk;
  readonly redis?: RedisHome;
}

/** A legion in Redis. */
export interface RedisHome extends LegionPlace {
  /** May this Redis lose what it acknowledged? */
  readonly durability: RedisDurability;
  /** `move`: agents that are bound to files are bound to those of this folder from now on. Default `keep`. */
  readonly pins?: "move" | "keep";
  readonly leaseMs?: number;
  /** Told one line for people when something is wrong with the legion's Redis, and one when it is over. */
  readonly onTrouble?: (text: string) => void;
}

export interface Surroundings {
  readonly paths: LegionPaths;
  readonly clock: Clock;
  readonly inspect: Inspect;
}

/** Rejects with LOCKED if another node runs in this folder. */
export function openResidence(options: ResidenceOptions, surroundings: Surroundings): Promise<Residence> {
  return options.redis
    ? openInRedis({ ...options, redis: options.redis }, surroundings)
    : openInFiles(options, surroundings);
}

async function openInFiles(
  { plans, durability, disk }: ResidenceOptions,
  surroundings: Surroundings,
): Promise<Residence> {
  const hosted = new Set(plans.map(({ identity }) => identity.id));
  const store = await openFileStore({ ...surroundings, role: "node", durability, hosted, disk });
  return {
    store,
    disk: store.disk,
    async begin(hosting) {
      await hosting.beginAll(plans);
      await store.deliverForOthers();
      await store.mendMailboxes(hosting.outboxOf);
      const { stop, dismiss } = hosting;
      return { settled: () => Promise.resolve(), stop, dismiss };
    },
  };
}

async function openInRedis(
  { plans, limits, disk: given, redis }: ResidenceOptions & { readonly redis: RedisHome },
  { paths, clock, inspect }: Surroundings,
): Promise<Residence> {
  const disk = given ?? createDisk(paths.tmp);
  const place = { link: redis.link, legion: redis.legion };
  const lock = await takeLock(paths.lock, disk, { role: "node", waitMs: LOCK_WAIT_MS });
  let closeAll = lock.release;
  try {
    await disk.emptyTmp();
    const store = await openRedisStore({ ...redis, role: "node", clock, inspect, copies: { disk, paths } });
    closeAll = () => bothInOrder(store.close, lock.release);
    const workspace = await workspaceId(paths, disk);
    const ceiling = await openRedisCeiling({ ...place, tenureOf: store.leases.held }, limits);
    await enrollAll(plans, { ...redis, store, workspace });
    const isBoundElsewhere = createBinding(store, workspace);
    const plansById = new Map(plans.map((plan) => [plan.identity.id, plan]));
    return {
      store: { ...store, close: closeAll },
      disk,
      node: store.node,
      ceiling,
      async begin(hosting) {
        const placement = startPlacement({
          ...place,
          ...(redis.onTrouble && { onTrouble: redis.onTrouble }),
          leases: store.leases,
          clock,
          node: { id: store.node, name: `${process.pid}@${hostname()}`, workspace: workspace.id },
          candidates: [...plansById.keys()],
          mayRunHere: (agent) => !isBoundElsewhere(agent),
          isIdle: hosting.isIdle,
          async begin(agent, tenure) {
            const { memory, outbox } = await hosting.begin(plansById.get(agent)!);
            ceiling.settle({ agent, epoch: tenure.epoch }, spentOf(memory.ledger));
            const isOpen = (): boolean => hosting.outboxOf(agent) === outbox;
            void offerWhatMayBeLost({ ...place, agent }, { tenure, outbox, isOpen });
          },
          end: hosting.end,
        });
        // Redis may go away just now: then agents come later.
        await Promise.race([placement.settled(), delay(SETTLING_MS)]);
        const dismiss = async (agent: AgentId): Promise<void> => {
          await setStopped({ ...place, agent });
          await placement.giveBack(agent);
        };
        return { settled: placement.settled, stop: placement.close, dismiss };
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** The second also if the first fails. */
async function bothInOrder(first: () => Promise<void>, second: () => Promise<void>): Promise<void> {
  try {
    await first();
  } finally {
    await second();
  }
}
