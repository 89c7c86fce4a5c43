// The agents that run in this process: opened, supervised, and closed again where the right to run one goes elsewhere.

import type { Agent } from "../../agent/parts/agent.ts";
import { createPresence, type Standing } from "../../agent/parts/presence.ts";
import { closeAgent, openAgent, recordOf, type AgentPlan, type Place } from "./agent-plan.ts";
import { isLegionError, messageOf } from "../../base/errors.ts";
import { restartNotice } from "../../domain/event/notice.ts";
import { isFruitless, type Ledger } from "../../past/ledger.ts";
import { isNothing, spentOf, type Spent } from "../../past/limits/spending.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { AgentHost } from "../../storage/contract/node.ts";
import { asShutdown, linkSignals } from "../../base/process/signals.ts";
import { mayBeClosed } from "./rest/may-be-closed.ts";
import { inParallel } from "../../base/turns.ts";
import type { AtRest } from "../../storage/contract/resting.ts";
import { createPlanHashes } from "./rest/plan-hash.ts";
import type { Residents } from "./rest/residents.ts";
import {
  createRest,
  createRounds,
  KEPT_OPEN,
  layDown,
  maySleep,
  restOf,
  type RestPlace,
} from "./rest/rests.ts";
import { supervise, type Supervised } from "../supervision/supervisor.ts";
import type { Tenure } from "../../domain/lease.ts";

export interface Hosting extends AgentHost {
  /** Makes more than a name of one that rests. */
  call(agent: AgentId): Supervised;
  /** Somebody has come to rest. */
  rested(): void;
  /** From now on it is able to run this agent, or no more the one that had its name. */
  plan(plan: AgentPlan): void;
  /** Closes everybody. Resolves with what went wrong in modules that close badly. */
  close(): Promise<readonly unknown[]>;
}

export interface HostPlace extends Place {
  /** Of all agents that this process is able to run. */
  readonly plans: readonly AgentPlan[];
  /** Those that it runs. */
  readonly residents: Residents;
  /** Are those closed that have nothing to do, where there are many? Default: all stay open. */
  readonly closesIdle?: boolean;
  readonly onReady?: (agents: number, of: number) => void;
}

const OPEN_AT_ONCE = 32;

/** @param now aborts when what runs has to stop at once */
export function createHosting(place: HostPlace, now: AbortSignal): Hosting {
  const { store, shared, plans, residents } = place;
  const { agents } = residents;
  const plansById = new Map(plans.map((plan) => [plan.identity.id, plan]));
  const opening = createOpening(place);
  const { opened, open, openAfter, close } = opening;
  const resting = place.closesIdle ? store.resting : undefined;
  const rests = resting && { resting, planHash: createPlanHashes(shared.redactor), close, residents };
  const closing = new AbortController();
  const goRound = rests && createRounds(() => openOnes(opened, agents), shared.clock, closing.signal);
  const running = createRunning(place, { opened, open, rests, now, closing: closing.signal });
  /** The rights to agents that this process lost. */
  const lost = new Map<AgentId, Tenure>();
  const end = async (id: AgentId): Promise<void> => {
    const tenure = opened.get(id)?.tenure;
    if (tenure?.lost.aborted) lost.set(id, tenure);
    if (!residents.isName(id)) await agents.get(id)?.stop("handOver");
    running.forget(id);
    await close(id);
  };
  const rested = (): void => goRound?.(opened.size);
  return {
    plan: (plan) => void plansById.set(plan.identity.id, plan),
    beginAll: () => beginAll(place, { rests, opening, running }).then(rested),
    async begin(id) {
      const plan = plansById.get(id)!;
      const agent = await openAfter(plan, lost.get(id));
      lost.delete(id);
      running.begin(plan);
      rested();
      return agent;
    },
    call: (id) => running.beginAsleep(plansById.get(id)!),
    // Whoever gets mail while all are stopped is opened by the next start.
    wake: (id) => (closing.signal.aborted ? undefined : agents.get(id)?.wake()),
    ...{ rested, end },
    isIdle: (id) => agents.get(id)?.standing.state === "idle",
    inBackground: () => [...opened].flatMap(([id, { background }]) => (background.isRunning() ? id : [])),
    async retire(id) {
      await end(id);
      plansById.delete(id);
    },
    dismiss: async (id) => agents.get(id)?.stop(),
    outboxOf: (id) => opened.get(id)?.outbox,
    async outboxFor(id) {
      const isClosed = agents.get(id)?.isAsleep;
      return isClosed ? agents.get(id)!.alone(async ({ outbox }) => outbox) : opened.get(id)?.outbox;
    },
    async stop() {
      closing.abort();
      await Promise.all([...residents.awake()].map((supervised) => supervised.stop()));
    },
    close() {
      closing.abort();
      const isMany = rests && agents.size > KEPT_OPEN;
      const closeOne = isMany ? closingFor(rests, (id) => plansById.get(id)) : closeAgent;
      return closeAll([...opened.values()], closeOne);
    },
  };
}

interface Beginning {
  readonly rests: RestPlace | undefined;
  readonly opening: ReturnType<typeof createOpening>;
  readonly running: ReturnType<typeof createRunning>;
}

/** Opens and runs everybody, but those of many who rest. */
async function beginAll(place: HostPlace, { rests, opening, running }: Beginning): Promise<void> {
  const { store, shared, plans, residents, onReady } = place;
  const enrolled = (plan: AgentPlan): Promise<Agent> =>
    store.enroll(plan.identity.id, recordOf(plan, shared.redactor)).then(() => opening.open(plan));
  let count = 0;
  const ready = (): void => onReady?.(++count, plans.length);
  const asleep = rests && plans.length > KEPT_OPEN ? await layDown(plans, rests, place, ready) : NOBODY;
  const isAwake = ({ identity }: AgentPlan): boolean => !asleep.has(identity.id);
  // Before the first actor runs: whoever writes to another finds out what that one has seen already.
  await openAll(plans.filter(isAwake), (plan) => enrolled(plan).finally(ready));
  for (const id of store.known()) await opening.countClosed(id, asleep.get(id));
  for (const plan of plans)
    if (isAwake(plan)) running.begin(plan, enrolled);
    else residents.name(plan.identity.id);
}

interface RunningPlace {
  readonly opened: ReadonlyMap<AgentId, Agent>;
  readonly open: (plan: AgentPlan) => Promise<Agent>;
  readonly rests: RestPlace | undefined;
  readonly now: AbortSignal;
  /** Nobody is begun any more. */
  readonly closing: AbortSignal;
}

/** Has agents run, each under its supervisor. */
function createRunning(
  { store, shared, residents }: HostPlace,
  { opened, open, rests, now, closing }: RunningPlace,
) {
  const openNext = inParallel(OPEN_AT_ONCE);
  /** Of each that runs: forgets what would stop it at once. */
  const unlinks = new Map<AgentId, () => void>();
  const leave = (agent: AgentId): void => {
    unlinks.get(agent)?.();
    unlinks.delete(agent);
  };
  const run = (plan: AgentPlan, openAgain: typeof open, standing?: Standing): Supervised => {
    const { identity } = plan;
    const agent = opened.get(identity.id);
    const presence = agent?.presence ?? createPresence(identity.id, shared, standing);
    const tenure = agent?.tenure ?? store.tenure(identity.id);
    const lost = asShutdown(tenure.lost);
    const { signal, unlink } = linkSignals(lost.signal, now);
    unlinks.set(identity.id, () => (lost.unlink(), unlink()));
    const isAsleep = standing !== undefined;
    const toName = (since: string): void => {
      leave(identity.id);
      residents.name(identity.id, since);
    };
    const rest = rests && maySleep(plan) ? { ...createRest(plan, rests, toName), isAsleep } : undefined;
    const hosted = { identity, presence, shared, agent, now: signal, rest };
    const supervised = supervise({ ...hosted, open: () => openNext(() => openAgain(plan)) });
    residents.set(identity.id, supervised);
    return supervised;
  };
  return {
    begin: (plan: AgentPlan, openAgain = open): Supervised => run(plan, openAgain),
    /** The same for one that a start found at rest. */
    beginAsleep(plan: AgentPlan): Supervised {
      const called = run(plan, open, residents.agents.get(plan.identity.id)!.standing);
      if (closing.aborted) void called.stop();
      return called;
    },
    forget(agent: AgentId): void {
      residents.delete(agent);
      leave(agent);
    },
  };
}

/** Closes agents, and keeps of those that have nothing to do that they rest. */
function closingFor({ resting, planHash }: RestPlace, planOf: (agent: AgentId) => AgentPlan | undefined) {
  return async (agent: Agent): Promise<void> => {
    const plan = planOf(agent.memory.agent);
    if (!plan || !maySleep(plan) || !mayBeClosed(agent)) return closeAgent(agent);
    await resting.lieDown(agent.memory.agent, async () => {
      await closeAgent(agent);
      return restOf(agent, planHash(plan));
    });
  };
}

const NOBODY: ReadonlyMap<AgentId, AtRest> = new Map();

function openOnes(
  opened: ReadonlyMap<AgentId, Agent>,
  agents: ReadonlyMap<AgentId, Supervised>,
): readonly Supervised[] {
  return [...opened.keys()].flatMap((id) => agents.get(id) ?? []);
}

async function closeAll(
  agents: readonly Agent[],
  close: (agent: Agent) => Promise<void>,
): Promise<readonly unknown[]> {
  const closings = await Promise.allSettled(agents.map(close));
  return closings.flatMap((closing) => (closing.status === "rejected" ? [closing.reason] : []));
}

/** Has its log say that an agent was only lost for a while, where it looks as if it had died at what it was doing. */
async function noteLost({ memory }: Agent, before: Tenure | undefined): Promise<void> {
  if (before?.epoch === memory.ledger.epoch && isFruitless(memory.ledger))
    await memory.commit(restartNotice(messageOf(before.lost.reason), "lost"));
}

function createOpening(place: Place) {
  const { store, budget } = place;
  const opened = new Map<AgentId, Agent>();
  /** Of agents that are not open: counts no longer what they have spent. */
  const closed = new Map<AgentId, () => void>();
  const open = async (plan: AgentPlan): Promise<Agent> => {
    const { id } = plan.identity;
    const agent = await openAgent(plan, place);
    await place.mayRun();
    opened.set(id, agent);
    closed.get(id)?.();
    closed.delete(id);
    budget.join(agent.memory.ledger);
    return agent;
  };
  const close = async (id: AgentId): Promise<void> => {
    const agent = opened.get(id);
    if (!agent) return;
    opened.delete(id);
    await closeAgent(agent).finally(() => closed.set(id, budget.leave(agent.memory.ledger)));
  };
  return {
    opened,
    open,
    close,
    /** @param before the right to it that was lost, if one was */
    async openAfter(plan: AgentPlan, before: Tenure | undefined): Promise<Agent> {
      const agent = await open(plan);
      await noteLost(agent, before).catch(async (error: unknown) => {
        await close(plan.identity.id);
        throw error;
      });
      return agent;
    },
    /** @param at what is known of it, where it rests */
    async countClosed(id: AgentId, at = store.resting?.of(id)): Promise<void> {
      if (opened.has(id) || (at && isNothing(at.spent))) return;
      const spent = at?.spent ?? spentIn(await store.ledger(id));
      if (spent && !opened.has(id)) closed.set(id, budget.include(spent));
    },
  };
}

function spentIn(ledger: Ledger | undefined): Spent | undefined {
  return ledger && spentOf(ledger);
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
  const own = ["STORAGE", "DAMAGED"] as const;
  if (!own.some((code) => isLegionError(error, code))) throw error;
}
