// The composition root: the store, the agents with their models and modules, one supervised actor each.

import { setMaxListeners } from "node:events";
import { join } from "node:path";
import type { Agent, Identity, MemorySettings, Shared } from "./agent.ts";
import { createHopNotice, startHeartbeat } from "./announcements.ts";
import type { Inbox } from "./bus/bus.ts";
import { createClock, type Clock } from "./clock.ts";
import type { Control } from "./control.ts";
import type { Environment } from "./environment/environment.ts";
import { createBudget, type Budget } from "./gate.ts";
import { createHost } from "./host.ts";
import { createInspector, type Inspect, type Inspector } from "./inspection.ts";
import type { Limits } from "./limits.ts";
import type { Disk } from "./log/disk.ts";
import type { Durability } from "./log/journal.ts";
import type { AgentId } from "./message.ts";
import { createLimiter, type LimiterOptions } from "./model/limiter.ts";
import type { Model } from "./model/model.ts";
import type { Peer } from "./module.ts";
import { startModules, type ActionIndex } from "./module-set.ts";
import { createOutbox } from "./outbox.ts";
import { openPeers } from "./peers.ts";
import { legionPaths } from "./paths.ts";
import { perform, type Perform } from "./perform.ts";
import { createProjections } from "./projection.ts";
import type { Protocol } from "./protocol/protocol.ts";
import { SHUTDOWN } from "./signals.ts";
import { openStore, type Store } from "./store.ts";
import { untilIdle } from "./until-idle.ts";
import { supervise, type Supervised } from "./supervisor.ts";
import { createTokenCounter } from "./tokens.ts";

/** What an agent was made from: enough to make it again. */
export interface Origin {
  /** Name or path of its definition. */
  readonly definition: string;
  /** What stood in place of the definition's. */
  readonly brief?: string;
  readonly modules?: readonly string[];
  /** Absent: they were refused. */
  readonly commands?: "allow";
}

/** One agent that a legion hosts. */
export interface AgentPlan {
  readonly identity: Identity;
  /** Absent: a program made it. Goes into `agent.json`. */
  readonly origin?: Origin;
  readonly model: Model;
  readonly protocol: Protocol;
  readonly actions: ActionIndex;
  readonly limits: Limits;
  readonly memory: MemorySettings;
  /** Does a success make the failed decisions before it disappear from the view? */
  readonly errors: "forget" | "keep";
  readonly tickMs: number;
  /** What runs its calls in place of its modules, and what stands before its mailbox: for an agent that is replayed. */
  readonly replay?: { readonly perform: Perform; readonly inbox: (inbox: Inbox) => Inbox };
}

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
  const shared = shareOut(options, { clock, inspect, budget, tokens, store, peers });
  // Every log is open before the first actor runs: whoever writes to another finds out what that one has seen already.
  const opened: Agent[] = [];
  try {
    await openAll(options.plans, { options, store, shared }, opened);
  } catch (error) {
    await closeAll(opened);
    await store.close();
    await tokens.close();
    throw error;
  }
  for (const id of store.known()) budget.join(store.ledger(id)!);
  for (const agent of opened) agents.set(agent.identity.id, supervise(agent, now.signal));
  await store.deliverForOthers();
  const heart = startHeartbeat(options.heartbeatMs, { clock, agents, control: store.control });
  return {
    agents,
    control: store.control,
    inspector,
    budget,
    peers: shared.peers,
    unread: shared.unread,
    untilIdle: (signal) => untilIdle({ agents, control: store.control, inspector }, signal),
    interrupt: () => now.abort(SHUTDOWN),
    async stop() {
      heart.abort();
      await Promise.all([...agents.values()].map((supervised) => supervised.stop()));
      const failures = await closeAll(opened);
      await store.close();
      await tokens.close();
      if (failures.length > 0) throw failures[0];
    },
  };
}

interface Common extends Pick<Shared, "clock" | "inspect" | "budget" | "tokens"> {
  readonly store: Store;
  readonly peers: () => readonly Peer[];
}

function shareOut(options: LegionOptions, { store, peers, ...common }: Common): Shared {
  const { project, environment, settings, concurrency } = options;
  return {
    ...common,
    limiter: createLimiter({ clock: common.clock, concurrency }),
    workspace: {
      root: project,
      execute: (command, run) => environment.execute(command, { cwd: project, ...run }),
    },
    settings,
    peers: () => Promise.resolve(peers()),
    unread: (agent) => store.bus.unread(agent),
    announceHops: createHopNotice(store.control),
  };
}

interface Surroundings {
  readonly options: LegionOptions;
  readonly store: Store;
  readonly shared: Shared;
}

/** Adds every agent to `opened`, in the order of the plans. Rejects with the first failure, once nobody is being opened. */
async function openAll(
  plans: readonly AgentPlan[],
  surroundings: Surroundings,
  opened: Agent[],
): Promise<void> {
  const places = new Map(plans.map(({ identity }, place) => [identity.id, place]));
  const queue = [...plans];
  const worker = async (): Promise<void> => {
    try {
      for (let plan = queue.shift(); plan; plan = queue.shift())
        opened.push(await openAgent(plan, surroundings));
    } finally {
      queue.length = 0;
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: OPEN_AT_ONCE }, worker));
  opened.sort((a, b) => places.get(a.identity.id)! - places.get(b.identity.id)!);
  for (const done of workers) if (done.status === "rejected") throw done.reason;
}

async function openAgent(plan: AgentPlan, { options, store, shared }: Surroundings): Promise<Agent> {
  const { identity, model, protocol, actions } = plan;
  const { id } = identity;
  const paths = legionPaths(options.project);
  const projections = createProjections(actions.modules, {
    disk: store.disk,
    folder: paths.agent(id),
    corruptFolder: paths.corrupt,
  });
  const memory = await store.openAgent(id, {
    view: { protocol, errors: plan.errors, window: model.profile.window },
    projector: projections,
  });
  await writeIdentity(plan, paths.agent(id), store);
  const inbox = await store.bus.open(id);
  const agent: Agent = {
    standing: { state: "waiting", reason: "", since: new Date(shared.clock.now()).toISOString() },
    identity,
    model,
    protocol,
    limits: plan.limits,
    settings: plan.memory,
    tickMs: plan.tickMs,
    delayMs: options.delayMs,
    memory,
    inbox: plan.replay ? plan.replay.inbox(inbox) : inbox,
    perform: plan.replay?.perform ?? perform,
    outbox: createOutbox(memory, store.bus, shared.clock),
    modules: startModules(actions, (module) => createHost(agent, module)),
    blobs: store.blobs(id),
    shared,
  };
  return agent;
}

/** `agent.json`: what the last start made of the agent. */
async function writeIdentity(
  { identity, origin, model, limits }: AgentPlan,
  folder: string,
  { disk }: Store,
): Promise<void> {
  const { id, name, description } = identity;
  const text = `${JSON.stringify({ id, name, description, ...origin, model: model.name, limits }, null, 2)}\n`;
  const path = join(folder, "agent.json");
  if ((await disk.read(path))?.toString("utf8") !== text) await disk.replace(path, text);
}

/** Returns what went wrong in modules that close badly; the rest is closed all the same. */
async function closeAll(agents: readonly Agent[]): Promise<readonly unknown[]> {
  const closings = await Promise.allSettled(agents.map(closeAgent));
  return closings.flatMap((closing) => (closing.status === "rejected" ? [closing.reason] : []));
}

async function closeAgent({ modules, outbox, inbox, memory }: Agent): Promise<void> {
  try {
    await modules.close();
  } finally {
    await outbox.close();
    await inbox.close();
    await memory.close();
  }
}
