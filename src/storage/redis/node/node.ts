// A legion in Redis: this process is one of its nodes, and agents come and go.

import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../../base/clock.ts";
import { createBinding, enrollAll, type Enrollment } from "./registration.ts";
import { checkHome } from "../../folder/home.ts";
import { writeLastStart, type LastStart } from "../../contract/last-start.ts";
import { createDisk } from "../../../base/files/disk.ts";
import { takeLock } from "../../folder/lock.ts";
import { CONTROL, displayName, type AgentId } from "../../../domain/message/message.ts";
import { createNodeNews, lookForLosses, tellOfAbsent } from "./news.ts";
import { offerWhatMayBeLost } from "./lost-mail.ts";
import { openPersonFolder } from "../../folder/person/folder.ts";
import { LegionError } from "../../../base/errors.ts";
import { startPlacement, type Placement } from "../cluster/scheduler.ts";
import type { Redactor } from "../../../base/redaction/redactor.ts";
import type { MemoryPost } from "../../../mail/to-memories.ts";
import { openRedisCeiling } from "./ceiling.ts";
import { agentKeys } from "../scripts/keys.ts";
import { setStopped } from "../cluster/directory.ts";
import { spentOf, type Ceiling } from "../../../past/limits/spending.ts";
import { openRedisStore, type RedisStore } from "../store.ts";
import { workspaceId, type WorkspaceId } from "../../folder/workspace.ts";
import type { Persistence } from "../scripts/lease.ts";
import type { LegionPlace } from "../scripts/scope.ts";
import type {
  AgentHost,
  Hostable,
  NodeOrder,
  NodeStorage,
  Running,
  Surroundings,
} from "../../contract/node.ts";

const LOCK_WAIT_MS = 5_000;
const SETTLING_MS = 5_000;

/** A legion in Redis. */
export interface RedisHome extends LegionPlace {
  /** What is sent to long-term memories goes there; those of this legion if absent. */
  readonly memories?: MemoryPost;
  /** May this Redis lose what it acknowledged? */
  readonly durability: Persistence;
  /** `move`: agents that are bound to files are bound to those of this folder from now on. Default `keep`. */
  readonly pins?: "move" | "keep";
  readonly leaseMs?: number;
  /** Of what is written. Absent: nothing is hidden. */
  readonly redactor?: Redactor;
  /** Told lines for people: what is wrong with the legion's Redis, and when it is over; which agents come and go. */
  readonly onTrouble?: (text: string) => void;
}

export interface RedisNodeOrder extends NodeOrder {
  readonly redis: RedisHome;
}

/** Rejects with LOCKED if another node runs in this folder, with STORAGE if Redis cannot be reached. */
export async function openRedisNode(
  { agents, limits, disk: given, redis, started }: RedisNodeOrder,
  { paths, clock, inspect }: Surroundings,
): Promise<NodeStorage> {
  const disk = given ?? createDisk(paths.tmp);
  const place = { link: redis.link, legion: redis.legion };
  await checkHome(paths, openPersonFolder(process.env));
  const lock = await takeLock(paths.lock, disk, { role: "node", waitMs: LOCK_WAIT_MS });
  let closeAll = lock.release;
  try {
    await disk.emptyTmp();
    const store = await openRedisStore({ ...redis, role: "node", clock, inspect, copies: { disk, paths } });
    closeAll = () => bothInOrder(store.close, lock.release);
    const workspace = await workspaceId(paths, disk);
    const ceiling = await openRedisCeiling({ ...place, tenureOf: store.leases.held }, limits);
    await enrollAll(agents, { ...redis, store, workspace });
    const { meta } = agentKeys(redis.legion, CONTROL);
    await redis.link.command("HSET", meta, "durability", redis.durability);
    const remember = async (start: LastStart): Promise<void> => {
      await redis.link.command("HSET", meta, "started", writeLastStart(start));
    };
    if (started) await remember(started);
    return {
      store: { ...store, close: closeAll },
      disk,
      node: store.node,
      ceiling,
      remember,
      begin: (host) => beginPlacement(host, { agents, redis, clock, store, ceiling, workspace }),
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

interface Placing {
  readonly agents: readonly Hostable[];
  readonly redis: RedisHome;
  readonly clock: Clock;
  readonly store: RedisStore;
  readonly ceiling: Ceiling;
  readonly workspace: WorkspaceId;
}

/** Takes the share of agents that is this node's, and goes on taking and giving. */
async function beginPlacement(
  host: AgentHost,
  { agents, redis, clock, store, ceiling, workspace }: Placing,
): Promise<Running> {
  const { link, legion, onTrouble: tell = (): void => undefined } = redis;
  const place = { link, legion };
  const candidates = agents.map(({ id }) => id);
  const isBoundElsewhere = createBinding(store, workspace);
  const news = createNodeNews(tell);
  store.rests.begin(host.wake);
  const entrance = createEntrance({ ...redis, store, workspace });
  const placement = startPlacement({
    ...place,
    onTrouble: tell,
    leases: store.leases,
    clock,
    node: { id: store.node, name: `${process.pid}@${hostname()}`, workspace: workspace.id },
    candidates,
    mayRunHere: (agent) => !isBoundElsewhere(agent),
    ...{ isIdle: host.isIdle, inBackground: host.inBackground },
    async begin(agent, tenure) {
      const { memory, outbox } = await host.begin(agent);
      const { ledger } = memory;
      ceiling.settle({ agent, epoch: tenure.epoch, ledger }, spentOf(ledger));
      news.moved(agent, "here");
      entrance.begun(agent);
      const isOpen = (): boolean => host.outboxOf(agent) === outbox;
      // Once it is closed nobody goes on with that.
      void store.rests.during(agent, () =>
        offerWhatMayBeLost({ ...place, agent }, { tenure, outbox, isOpen }),
      );
    },
    async end(agent) {
      news.moved(agent, "away");
      await host.end(agent);
      await store.resting.wake(agent);
    },
  });
  // Redis may go away just now: then agents come later.
  await Promise.race([placement.settled(), delay(SETTLING_MS, undefined, { ref: false })]);
  news.begin();
  tellOfAbsent(candidates, { registry: store.registry, workspace, tell });
  const stopLooking = lookForLosses(candidates, { registry: store.registry, clock, tell });
  const dismiss = async (agent: AgentId): Promise<void> => {
    await setStopped({ ...place, agent });
    await placement.giveBack(agent);
  };
  const stop = async (): Promise<void> => {
    news.end();
    stopLooking();
    await placement.close();
  };
  return {
    settled: placement.settled,
    stop,
    dismiss,
    retire: dismiss,
    add: (agent) => entrance.add(agent, placement),
  };
}

/** Agents that come while others run. */
function createEntrance(enrollment: Enrollment) {
  const expected = new Map<AgentId, () => void>();
  return {
    begun: (agent: AgentId): void => expected.get(agent)?.(),
    async add(agent: Hostable, placement: Placement): Promise<void> {
      const { id } = agent;
      await placement.drop(id);
      const begun = new Promise<"begun">((resolve) => expected.set(id, () => resolve("begun")));
      await enrollAll([agent], enrollment);
      placement.add(id);
      const outcome = await Promise.race([begun, delay(SETTLING_MS, "late" as const, { ref: false })]);
      expected.delete(id);
      if (outcome === "begun") return;
      const why = placement.trouble(id) ?? "another node runs it, or it is bound to another workspace";
      await placement.drop(id);
      throw new LegionError("LOCKED", `${displayName(id)} cannot run here: ${why}.`);
    },
  };
}

/** The second also if the first fails. */
async function bothInOrder(first: () => Promise<void>, second: () => Promise<void>): Promise<void> {
  try {
    await first();
  } finally {
    await second();
  }
}
