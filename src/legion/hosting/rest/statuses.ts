// How the agents of this process stand, those that rest included: what is closed is read, once for each rest.

import type { AgentId } from "../../../domain/message/message.ts";
import type { Reader } from "../../../storage/contract/reader.ts";
import type { Resting } from "../../../storage/contract/resting.ts";
import { closedStatus, liveStatus, restingStatus, type AgentStatus } from "../../status.ts";
import type { Supervised } from "../../supervision/supervisor.ts";
import type { AgentPlan } from "../agent-plan.ts";

/** In the order in which they came. @param node what this process is called */
export type Statuses = (node: string) => Promise<readonly AgentStatus[]>;

interface StatusPlace {
  readonly plans: readonly AgentPlan[];
  readonly reader: Reader;
  readonly resting: Pick<Resting, "of"> | undefined;
}

/** So many are read at once: most of the time the disk is waited for, or Redis. */
const AT_ONCE = 32;

export function createStatuses(
  agents: ReadonlyMap<AgentId, Supervised>,
  { plans, reader, resting }: StatusPlace,
): Statuses {
  const plansById = new Map(plans.map((plan) => [plan.identity.id, plan]));
  /** Of those that rest, as they lay down. */
  const read = new Map<AgentId, { readonly since: string; readonly status: AgentStatus }>();
  const statusAtRest = async (id: AgentId, since: string): Promise<AgentStatus> => {
    const known = read.get(id);
    if (known?.since === since) return known.status;
    const status = await closedStatus(id, reader, { since, node: null });
    read.set(id, { since, status });
    return status;
  };
  return async (node) => {
    const statuses: AgentStatus[] = [];
    const closed: (readonly [index: number, id: AgentId, since: string])[] = [];
    for (const [id, one] of agents) {
      const { since } = one.standing;
      const plan = plansById.get(id);
      if (!one.isAsleep) statuses.push(liveStatus(id, one, node));
      else if (plan && resting?.of(id)?.last === 0) statuses.push(pristine(plan, { since, node }));
      else closed.push([statuses.push(liveStatus(id, one, node)) - 1, id, since]);
    }
    const left = closed.values();
    const readOn = async (): Promise<void> => {
      for (const [index, id, since] of left) {
        statuses[index] = { ...(await statusAtRest(id, since)), node };
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, readOn));
    return statuses;
  };
}

/** Nothing was ever done by it. */
function pristine(
  { identity: { id }, model, limits, workspace }: AgentPlan,
  moment: { readonly since: string; readonly node: string },
): AgentStatus {
  const own = workspace === "worktree" ? workspace : undefined;
  return restingStatus({ id, model: model.name, limits, workspace: own }, moment);
}
