// The agents that a program has had a legion run, each under a name of its own.

import { LegionError } from "../base/errors.ts";
import { displayName, isAgentId, type AgentId } from "../domain/message/message.ts";
import type { AgentPlan } from "../legion/hosting/agent-plan.ts";
import type { ForkOrder } from "../legion/fork.ts";
import { readForkOrder } from "./options.ts";
import { createLegionAgent, type AgentSource, type LegionAgent } from "./agent.ts";

export function createEntrance(place: Omit<AgentSource, "isClosed">) {
  const { legion } = place;
  const agents = new Map<AgentId, LegionAgent>();
  const plans = new Map<AgentId, AgentPlan>();
  const coming = new Map<AgentId, Promise<LegionAgent>>();
  let isClosed = false;
  const source: AgentSource = { ...place, isClosed: () => isClosed };
  const refuseIfClosed = (): void => {
    if (isClosed) throw new LegionError("REFUSED", "this legion is stopped; Legion.open opens it again");
  };
  const isFree = (id: AgentId): boolean => {
    const state = legion.agents.get(id)?.standing.state ?? "stopped";
    return !coming.has(id) && (!agents.has(id) || state === "stopped");
  };
  const come = async (id: AgentId, plan: (id: AgentId) => Promise<AgentPlan>): Promise<LegionAgent> => {
    const made = await plan(id);
    await legion.host(made);
    plans.set(id, made);
    const agent = agents.get(id) ?? createLegionAgent(source, id);
    agents.set(id, agent);
    return agent;
  };
  /** Runs what `plan` gives, under `wanted` or the first number that is free. */
  const enter = async (
    wanted: AgentId | undefined,
    plan: (id: AgentId) => Promise<AgentPlan>,
  ): Promise<LegionAgent> => {
    refuseIfClosed();
    const id = wanted ?? firstNumber((number) => !agents.has(number) && !coming.has(number));
    refuseId(id, isFree);
    const arrival = come(id, plan).finally(() => coming.delete(id));
    coming.set(id, arrival);
    return arrival;
  };
  return {
    agents: agents as ReadonlyMap<AgentId, LegionAgent>,
    enter,
    async fork(given: ForkOrder): Promise<LegionAgent> {
      refuseIfClosed();
      const order = readForkOrder(given);
      const { agent: origin, as } = order;
      const [agent, plan] = [agents.get(origin), plans.get(origin)];
      if (!agent || !plan)
        throw new LegionError("USAGE", `fork: there is no agent ${JSON.stringify(origin)} here`);
      const forked = async (): Promise<unknown> => (await legion.fork(order)).done;
      if (as !== undefined)
        return enter(as, async () => {
          await forked();
          return { ...plan, identity: { ...plan.identity, id: as, name: displayName(as) } };
        });
      await forked();
      return agent;
    },
    /** Lets nobody in any more; resolves when whoever was at it is in, or is not. */
    async settled(): Promise<void> {
      isClosed = true;
      await Promise.allSettled(coming.values());
    },
  };
}

function firstNumber(isFree: (id: AgentId) => boolean): AgentId {
  let number = 1;
  while (!isFree(String(number))) number++;
  return String(number);
}

function refuseId(id: AgentId, isFree: (id: AgentId) => boolean): void {
  const shown = JSON.stringify(id);
  const rule = "up to 64 of a-z, 0-9, `.`, `_` and `-`, such as helper";
  if (!isAgentId(id)) throw new LegionError("USAGE", `${shown} cannot be the id of an agent; write ${rule}`);
  if (!isFree(id)) throw new LegionError("USAGE", `there is an agent ${shown} here already`);
}
