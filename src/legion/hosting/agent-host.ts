// The agents that run in this process: opened, supervised, and closed again where the right to run one goes elsewhere.

import type { Agent } from "../../agent/parts/agent.ts";
import { createPresence } from "../../agent/parts/presence.ts";
import { closeAgent, openAgent, recordOf, type AgentPlan, type Place } from "./agent-plan.ts";
import { isLegionError, messageOf } from "../../base/errors.ts";
import { restartNotice } from "../../domain/event/event.ts";
import { isFruitless } from "../../past/ledger.ts";
import { spentOf } from "../../past/limits/spending.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { AgentHost } from "../../storage/contract/node.ts";
import { SHUTDOWN, linkSignals } from "../../base/process/signals.ts";
import { supervise, type Supervised } from "../supervision/supervisor.ts";
import type { Tenure } from "../../domain/lease.ts";

export interface Hosting extends AgentHost {
  /** From now on it is able to run this agent, or no more the one that had its name. */
  plan(plan: AgentPlan): void;
  /** Closes everybody. Resolves with what went wrong in modules that close badly. */
  close(): Promise<readonly unknown[]>;
}

export interface HostPlace extends Place {
  /** Of all agents that this process is able to run. */
  readonly plans: readonly AgentPlan[];
}

const OPEN_AT_ONCE = 32;

/**
 * @param agents gets every agent while it is hosted
 * @param now aborts when what runs has to stop at once
 */
export function createHosting(place: HostPlace, agents: Map<AgentId, Supervised>, now: AbortSignal): Hosting {
  const { store, shared, plans } = place;
  const plansById = new Map(plans.map((plan) => [plan.identity.id, plan]));
  const { opened, open, openAfter, close, countClosed } = createOpening(place);
  /** The rights to agents that this process lost. */
  const lost = new Map<AgentId, Tenure>();
  /** Of each that runs: forgets what would stop it at once. */
  const unlinks = new Map<AgentId, () => void>();
  const run = (plan: AgentPlan, openAgain = open): void => {
    const { identity } = plan;
    const agent = opened.get(identity.id);
    const presence = agent?.presence ?? createPresence(identity.id, shared);
    const tenure = agent?.tenure ?? store.tenure(identity.id);
    const { signal, unlink } = linkSignals(asShutdown(tenure.lost), now);
    unlinks.set(identity.id, unlink);
    const hosted = { identity, presence, shared, agent, now: signal };
    agents.set(identity.id, supervise({ ...hosted, open: () => openAgain(plan) }));
  };
  const end = async (id: AgentId): Promise<void> => {
    const tenure = opened.get(id)?.tenure;
    if (tenure?.lost.aborted) lost.set(id, tenure);
    await agents.get(id)?.stop("handOver");
    agents.delete(id);
    unlinks.get(id)?.();
    unlinks.delete(id);
    await close(id);
  };
  return {
    plan: (plan) => void plansById.set(plan.identity.id, plan),
    async beginAll() {
      const enrolled = (plan: AgentPlan): Promise<Agent> =>
        store.enroll(plan.identity.id, recordOf(plan, shared.redactor)).then(() => open(plan));
      // Every log is open before the first actor runs: whoever writes to another finds out what that one has seen already.
      await openAll(plans, enrolled);
      for (const id of store.known()) await countClosed(id);
      for (const plan of plans) run(plan, enrolled);
    },
    async begin(id) {
      const plan = plansById.get(id)!;
      const agent = await openAfter(plan, lost.get(id));
      lost.delete(id);
      run(plan);
      return agent;
    },
    isIdle: (id) => agents.get(id)?.standing.state === "idle",
    end,
    async retire(id) {
      await end(id);
      plansById.delete(id);
    },
    dismiss: async (id) => agents.get(id)?.stop(),
    outboxOf: (id) => opened.get(id)?.outbox,
    async stop() {
      await Promise.all([...agents.values()].map((supervised) => supervised.stop()));
    },
    close: () => closeAll([...opened.values()]),
  };
}

async function closeAll(agents: readonly Agent[]): Promise<readonly unknown[]> {
  const closings = await Promise.allSettled(agents.map(closeAgent));
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
    async countClosed(id: AgentId): Promise<void> {
      const ledger = await store.ledger(id);
      if (ledger && !opened.has(id)) closed.set(id, budget.include(spentOf(ledger)));
    },
  };
}

/** Whoever has lost the right to run an agent stops as if the process had died: somebody else goes on from the log. */
function asShutdown(lost: AbortSignal): AbortSignal {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(SHUTDOWN);
  if (lost.aborted) stop();
  lost.addEventListener("abort", stop, { once: true });
  return stopping.signal;
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
