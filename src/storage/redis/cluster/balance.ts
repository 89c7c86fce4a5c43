// How a legion's agents are shared out among its nodes. Every node reckons for itself, from what all of them say.

import type { AgentId } from "../../../domain/message.ts";
import type { NodeRecord } from "../../contract/nodes.ts";

export interface Balance {
  /** How many agents this node may take while another has room for them. */
  readonly cap: number;
  /** Is another node able to run `agent`, and below its own cap? */
  hasRoomElsewhere(agent: AgentId): boolean;
}

/**
 * An agent counts for each node that is able to run it as a part of one, the same for all of them: 9 agents of which 3 are
 * bound to one of two nodes are 6 for that node and 3 for the other. As caps are rounded up, every agent finds a place.
 */
export function weigh(nodes: readonly NodeRecord[], self: string): Balance {
  const takers = new Map<AgentId, NodeRecord[]>();
  for (const node of nodes) {
    for (const agent of node.able) {
      const others = takers.get(agent);
      if (others) others.push(node);
      else takers.set(agent, [node]);
    }
  }
  const caps = new Map(nodes.map((node) => [node.id, capOf(node, takers)]));
  return {
    cap: caps.get(self) ?? 0,
    hasRoomElsewhere: (agent) =>
      (takers.get(agent) ?? []).some(({ id, agents }) => id !== self && agents < caps.get(id)!),
  };
}

/** Thirds that add up to a whole must not be rounded up to the next. */
const ROUNDING = 1e-6;

function capOf({ able }: NodeRecord, takers: ReadonlyMap<AgentId, readonly NodeRecord[]>): number {
  let share = 0;
  for (const agent of able) share += 1 / takers.get(agent)!.length;
  return Math.ceil(share - ROUNDING);
}
