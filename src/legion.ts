// The composition root: the store, the agents with their models and modules, one supervised actor each.

import { setMaxListeners } from "node:events";
import type { Agent, Identity, MemorySettings, Shared, StoppedConversation } from "./agent.ts";
import { createClock, type Clock } from "./clock.ts";
import type { Control } from "./control.ts";
import type { Environment } from "./environment/environment.ts";
import { createBudget, type Budget } from "./gate.ts";
import { createHost } from "./host.ts";
import { createInspector, type Inspector } from "./inspection.ts";
import { hasWork } from "./ledger.ts";
import type { Limits } from "./limits.ts";
import type { Durability } from "./log/journal.ts";
import { CONTROL, HOP_LIMIT, displayName, type AgentId } from "./message.ts";
import { createLimiter } from "./model/limiter.ts";
import type { Model } from "./model/model.ts";
import type { Peer } from "./module.ts";
import { startModules, type ActionIndex } from "./module-set.ts";
import { createOutbox } from "./outbox.ts";
import { legionPaths } from "./paths.ts";
import { createProjections } from "./projection.ts";
import type { Protocol } from "./protocol/protocol.ts";
import { openStore, type Store } from "./store.ts";
import { supervise, type Supervised } from "./supervisor.ts";
import { createTokenCounter } from "./tokens.ts";

/** One agent that a legion hosts. */
export interface AgentPlan {
  readonly identity: Identity;
  readonly model: Model;
  readonly protocol: Protocol;
  readonly actions: ActionIndex;
  readonly limits: Limits;
  readonly memory: MemorySettings;
  /** Does a success make the failed decisions before it disappear from the view? */
  readonly errors: "forget" | "keep";
  readonly tickMs: number;
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
  /** Calls to one provider at once. */
  readonly concurrency?: number;
  readonly clock?: Clock;
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

export const HEARTBEAT =
  "This is your regular heartbeat. Is there anything that you should do now? If not, wait for mail.";

const OPEN_AT_ONCE = 32;

/** Opens the project and starts its agents. Rejects with LOCKED if another node runs here. */
export async function startLegion(options: LegionOptions): Promise<Legion> {
  const clock = options.clock ?? createClock();
  const inspector = createInspector();
  const paths = legionPaths(options.project);
  const { durability } = options;
  const store = await openStore({ paths, role: "node", durability, clock, inspect: inspector.inspect });
  const budget = createBudget(options.limits);
  const tokens = createTokenCounter();
  const now = new AbortController();
  setMaxListeners(0, now.signal);
  const agents = new Map<AgentId, Supervised>();
  const plans = new Map(options.plans.map((plan) => [plan.identity.id, plan]));
  for (const id of plans.keys()) store.register(id);

  const shared: Shared = {
    clock,
    inspect: inspector.inspect,
    budget,
    limiter: createLimiter({ clock, ...(options.concurrency && { concurrency: options.concurrency }) }),
    tokens,
    workspace: {
      root: options.project,
      execute: (command, run) => options.environment.execute(command, { cwd: options.project, ...run }),
    },
    settings: options.settings,
    peers: () => Promise.resolve(listPeers(store, plans, agents)),
    unread: (agent) => store.bus.unread(agent),
    announceHops: createHopNotice(store.control),
  };
  const start = async (plan: AgentPlan): Promise<void> => {
    const agent = await openAgent(plan, { options, store, shared });
    budget.join(agent.memory.ledger);
    agents.set(plan.identity.id, supervise(agent, now.signal));
  };
  const queue = [...options.plans];
  const worker = async (): Promise<void> => {
    for (let plan = queue.shift(); plan; plan = queue.shift()) await start(plan);
  };
  await Promise.all(Array.from({ length: OPEN_AT_ONCE }, worker));
  for (const id of store.known()) if (!plans.has(id)) budget.join(store.ledger(id)!);
  await store.deliverForOthers(new Set(plans.keys()));
  const heart = startHeartbeat(options.heartbeatMs, { clock, agents, control: store.control });
  return {
    agents,
    control: store.control,
    inspector,
    budget,
    peers: shared.peers,
    unread: shared.unread,
    untilIdle: (signal) => untilIdle({ agents, control: store.control, inspector }, signal),
    interrupt: () => now.abort(),
    async stop() {
      heart.abort();
      await Promise.all([...agents.values()].map((supervised) => supervised.stop()));
      for (const { agent } of agents.values()) await closeAgent(agent);
      await store.close();
      await tokens.close();
    },
  };
}

interface Surroundings {
  readonly options: LegionOptions;
  readonly store: Store;
  readonly shared: Shared;
}

async function openAgent(plan: AgentPlan, { options, store, shared }: Surroundings): Promise<Agent> {
  const { identity, model, protocol, actions } = plan;
  const { id } = identity;
  const paths = legionPaths(options.project);
  const projections = createProjections(actions.modules, paths.agent(id), store.disk);
  const memory = await store.openAgent(id, { view: { protocol, errors: plan.errors }, projector: projections });
  const edits = await projections.reconcile(memory.state);
  if (edits.length > 0) await memory.commit(...edits);
  await writeIdentity(plan, paths.agent(id), store);
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
    inbox: await store.bus.open(id),
    outbox: createOutbox(memory, store.bus, shared.clock),
    modules: startModules(actions, (module) => createHost(agent, module)),
    blobs: store.blobs(id),
    shared,
  };
  return agent;
}

/** `agent.json`: what the last start made of the agent. */
async function writeIdentity({ identity, model, limits }: AgentPlan, folder: string, { disk }: Store): Promise<void> {
  const { id, name, description } = identity;
  const text = `${JSON.stringify({ id, name, description, model: model.name, limits }, null, 2)}\n`;
  const path = `${folder}/agent.json`;
  if ((await disk.read(path))?.toString("utf8") !== text) await disk.replace(path, text);
}

async function closeAgent({ modules, outbox, inbox, memory }: Agent): Promise<void> {
  await modules.close();
  outbox.close();
  await inbox.close();
  await memory.close();
}

function listPeers(
  store: Store,
  plans: ReadonlyMap<AgentId, AgentPlan>,
  agents: ReadonlyMap<AgentId, Supervised>,
): readonly Peer[] {
  return store.known().map((id) => ({
    id,
    name: displayName(id),
    description: plans.get(id)?.identity.description ?? "",
    running: agents.get(id) !== undefined && agents.get(id)!.agent.standing.state !== "halted",
  }));
}

/** Tells both sides and Control, once for each chain, in messages of that chain: answering them goes no further. */
function createHopNotice(control: Control): (stopped: StoppedConversation) => Promise<void> {
  const told = new Set<string>();
  return async ({ from, to, root, hops }) => {
    if (told.has(root)) return;
    told.add(root);
    const content =
      `The conversation between ${displayName(from)} and ${displayName(to)} that began with message ${root} was ` +
      `stopped after ${HOP_LIMIT} messages between agents without a person.`;
    await control.announce([from, to, CONTROL], content, { root, hops });
  };
}

interface Hosted {
  readonly agents: ReadonlyMap<AgentId, Supervised>;
  readonly control: Control;
}

function startHeartbeat(everyMs: number | "off", { clock, agents, control }: Hosted & { clock: Clock }): AbortController {
  const heart = new AbortController();
  const beat = async (ms: number): Promise<void> => {
    for (;;) {
      await clock.sleep(ms, heart.signal);
      if (heart.signal.aborted) return;
      const idle = [...agents].filter(([, supervised]) => supervised.agent.standing.state === "idle").map(([id]) => id);
      if (idle.length > 0) await control.announce(idle, HEARTBEAT);
    }
  };
  // A log of agent 0 that cannot be written stops the heartbeat; whatever Control says next reports it.
  if (everyMs !== "off") beat(everyMs).catch(() => heart.abort());
  return heart;
}

async function untilIdle({ agents, control, inspector }: Hosted & { inspector: Inspector }, signal: AbortSignal): Promise<void> {
  const isIdle = (): boolean => {
    const waiting = [...agents.values()].flatMap(({ agent }) => agent.outbox.undelivered());
    if ([...waiting, ...control.outbox.undelivered()].some(({ to }) => agents.has(to))) return false;
    return [...agents.values()].every(({ agent }) => {
      const { state } = agent.standing;
      const atRest = state === "idle" || state === "parked" || state === "paused" || state === "halted";
      return atRest && (state === "halted" || !hasWork(agent.memory.ledger, agent.inbox.unread));
    });
  };
  await new Promise<void>((resolve) => {
    let checking = false;
    const check = (): void => {
      checking = false;
      if (signal.aborted || isIdle()) finish();
    };
    const later = (): void => {
      if (!checking) setImmediate(check);
      checking = true;
    };
    const unwatch = inspector.watch((inspection) => {
      if (inspection.kind !== "live:delta") later();
    });
    const finish = (): void => {
      unwatch();
      signal.removeEventListener("abort", later);
      resolve();
    };
    signal.addEventListener("abort", later);
    later();
  });
}
