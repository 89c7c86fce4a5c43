// The composition root: the store, the agents with their models and modules, one supervised actor each.

import { setMaxListeners } from "node:events";
import type { Agent, Shared } from "./agent.ts";
import { beginning, closeAgent, openAgent, type AgentPlan, type Place } from "./agent-plan.ts";
import { createAlarms, type Alarms } from "./alarms.ts";
import { createHopNotice, startHeartbeat } from "./announcements.ts";
import { createClock, type Clock } from "./clock.ts";
import type { Control } from "./control.ts";
import type { Environment } from "./environment/environment.ts";
import { isLegionError } from "./errors.ts";
import { fork, type ForkOrder, type Forking } from "./fork.ts";
import { createBudget, type Budget } from "./gate.ts";
import { createInspector, type Inspect, type Inspector } from "./inspection.ts";
import type { Ledger } from "./ledger.ts";
import type { Limits } from "./limits.ts";
import type { Disk } from "./log/disk.ts";
import type { Durability } from "./log/journal.ts";
import type { AgentId } from "./message.ts";
import { createLimiter, type LimiterOptions } from "./model/limiter.ts";
import type { Peer } from "./module.ts";
import { openPeers } from "./peers.ts";
import { legionPaths } from "./paths.ts";
import { resend } from "./resend.ts";
import { SHUTDOWN } from "./signals.ts";
import { openStore, type Store } from "./store.ts";
import { untilIdle } from "./until-idle.ts";
import { supervise, type Supervised } from "./supervisor.ts";
import { createTokenCounter } from "./tokens.ts";
import type { Writer } from "./writer.ts";

export interface LegionOptions {
  /** Absolute real path of the project folder. */
  readonly project: string;
  readonly plans: readonly AgentPlan[];
  readonly limits: Limits;
  readonly durability: Durability;
  readonly delayMs: number;
  readonly heartbeatMs: number | "off";
  readonly environment: Environment;
  readonly settings: (module: string) => Readonly<Record<string, unknown>>;
  /** How many calls may run at this provider at once; where it gives nothing, the limiter's default. */
  readonly concurrency?: LimiterOptions["concurrency"];
  readonly clock?: Clock;
  /** Where everything is written; the real disk if absent. */
  readonly disk?: Disk;
  /** Sees everything from the first event on. */
  readonly watch?: Inspect;
}

export interface Legion {
  readonly agents: ReadonlyMap<AgentId, Supervised>;
  readonly control: Control;
  readonly inspector: Inspector;
  readonly budget: Budget;
  peers(): Promise<readonly Peer[]>;
  unread(agent: AgentId): Promise<number>;
  /** As `resend`: sends the dead letter `id` again. */
  resend(id: string): Promise<readonly string[]>;
  /** As `fork`: an agent goes on from an earlier moment of its past. */
  fork(order: ForkOrder): Promise<Forking>;
  /** Resolves when no hosted agent has anything to do and all mail to them is delivered, or when `signal` aborts. */
  untilIdle(signal: AbortSignal): Promise<void>;
  /** Finishes what runs and closes everything. */
  stop(): Promise<void>;
  /** Ends running model calls and actions at once; `stop` then has nothing to wait for. */
  interrupt(): void;
}

const OPEN_AT_ONCE = 32;

/** Opens the project and starts its agents. Rejects with LOCKED if another node runs here. */
export async function startLegion(options: LegionOptions): Promise<Legion> {
  const clock = options.clock ?? createClock();
  const inspector = createInspector(options.watch);
  const paths = legionPaths(options.project);
  const { durability, disk } = options;
  const { inspect } = inspector;
  const plans = new Map(options.plans.map((plan) => [plan.identity.id, plan]));
  const hosted = new Set(plans.keys());
  const store = await openStore({ paths, role: "node", durability, clock, inspect, hosted, disk });
  const budget = createBudget(options.limits);
  const tokens = createTokenCounter();
  const now = new AbortController();
  setMaxListeners(0, now.signal);
  const agents = new Map<AgentId, Supervised>();
  const peers = await openPeers({
    store,
    paths,
    identities: options.plans.map(({ identity }) => identity),
    agents,
  });
  const alarms = createAlarms(store.control, clock);
  const shared = shareOut(options, { clock, inspect, budget, tokens, store, peers, alarms });
  const opened = new Map<AgentId, Agent>();
  try {
    await hostAll({ ...options, paths, store, shared, opened, agents }, now.signal);
  } catch (error) {
    await closeAll(opened.values());
    await store.close();
    await tokens.close();
    throw error;
  }
  await store.deliverForOthers();
  await store.mendMailboxes((id) => opened.get(id)?.outbox);
  const writerFor = (agent: AgentId): Writer | undefined => agents.get(agent) ?? store.writerFor(agent);
  const heart = startHeartbeat(options.heartbeatMs, { clock, agents, control: store.control });
  return {
    agents,
    control: store.control,
    inspector,
    budget,
    peers: shared.peers,
    unread: shared.unread,
    resend: (id) => resend(id, { clock, known: store.known(), unread: shared.unread, writerFor }),
    fork: (order) => fork(order, { store, paths, clock, writerFor }),
    untilIdle: (signal) => untilIdle({ agents, control: store.control, inspector }, signal),
    interrupt: () => now.abort(SHUTDOWN),
    async stop() {
      heart.abort();
      await Promise.all([...agents.values()].map((supervised) => supervised.stop()));
      await alarms.close();
      const failures = await closeAll(opened.values());
      await store.close();
      await tokens.close();
      if (failures.length > 0) throw failures[0];
    },
  };
}

interface Common extends Pick<Shared, "clock" | "inspect" | "budget" | "tokens"> {
  readonly store: Store;
  readonly alarms: Alarms;
  readonly peers: () => readonly Peer[];
}

function shareOut(options: LegionOptions, { store, peers, alarms, ...common }: Common): Shared {
  const { project, environment, settings, concurrency } = options;
  return {
    ...common,
    limiter: createLimiter({ clock: common.clock, concurrency, onOutage: alarms.outage }),
    workspace: {
      root: project,
      execute: (command, run) => environment.execute(command, { cwd: project, ...run }),
      endLeft: (mark) => environment.endLeft(mark),
    },
    settings,
    peers: () => Promise.resolve(peers()),
    unread: (agent) => store.bus.unread(agent),
    isNews: alarms.isNews,
    tellControl: alarms.tell,
    announceHops: createHopNotice(store.control),
  };
}

interface Hosting extends Place {
  readonly plans: readonly AgentPlan[];
  /** Gets every agent that is open. */
  readonly opened: Map<AgentId, Agent>;
  /** Gets every agent. */
  readonly agents: Map<AgentId, Supervised>;
}

/** Opens every agent, then runs them. */
async function hostAll(hosting: Hosting, now: AbortSignal): Promise<void> {
  const { plans, store, shared, opened, agents } = hosting;
  const { budget, clock } = shared;
  /** What agents have spent that could not be opened yet. */
  const unopened = new Map<AgentId, Ledger>();
  const open = async (plan: AgentPlan): Promise<Agent> => {
    const agent = await openAgent(plan, hosting);
    opened.set(plan.identity.id, agent);
    budget.leave(unopened.get(plan.identity.id));
    budget.join(agent.memory.ledger);
    return agent;
  };
  // Every log is open before the first actor runs: whoever writes to another finds out what that one has seen already.
  await openAll(plans, open);
  for (const id of store.known()) {
    const ledger = await store.ledger(id);
    budget.join(ledger);
    if (ledger && !opened.has(id)) unopened.set(id, ledger);
  }
  for (const plan of plans) {
    const { identity } = plan;
    const agent = opened.get(identity.id);
    const post = agent ?? { standing: beginning(clock), identity, shared };
    agents.set(identity.id, supervise({ post, agent, open: () => open(plan), now }));
  }
}

/** Opens every agent that can be opened; the others are tried again later, each alone. Rejects once nobody is being opened. */
async function openAll(
  plans: readonly AgentPlan[],
  open: (plan: AgentPlan) => Promise<Agent>,
): Promise<void> {
  const queue = [...plans];
  const worker = async (): Promise<void> => {
    for (let plan = queue.shift(); plan; plan = queue.shift()) await open(plan).catch(unlessOwn);
  };
  const workers = await Promise.allSettled(Array.from({ length: OPEN_AT_ONCE }, worker));
  for (const done of workers) if (done.status === "rejected") throw done.reason;
}

/** What its files say or cannot keep is an agent's own trouble; anything else is the legion's. */
function unlessOwn(error: unknown): void {
  if (!isLegionError(error, "STORAGE") && !isLegionError(error, "DAMAGED")) throw error;
}

/** Returns what went wrong in modules that close badly; the rest is closed all the same. */
async function closeAll(agents: Iterable<Agent>): Promise<readonly unknown[]> {
  const closings = await Promise.allSettled([...agents].map(closeAgent));
  return closings.flatMap((closing) => (closing.status === "rejected" ? [closing.reason] : []));
}
