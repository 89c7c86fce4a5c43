// Who runs which agents of a legion in Redis, at this moment.

import type { AgentId } from "../../domain/message.ts";
import { agentKeys } from "../../storage/redis/scripts/keys.ts";
import { readNodes, type LegionPlace, type NodeRecord } from "../../storage/redis/cluster/members.ts";

export interface Whereabouts {
  /** The processes that are members, by their id. */
  readonly nodes: ReadonlyMap<string, NodeRecord>;
  of(agent: AgentId): Holding;
}

export interface Holding {
  /** The id of the process that has the right to run the agent; it may be no member, or dead. */
  readonly holder: string | undefined;
  /** A person stopped it. */
  readonly isStopped: boolean;
}

/** One round trip, however many `agents` there are. Rejects with STORAGE. */
export async function readWhereabouts(
  { link, legion }: LegionPlace,
  agents: readonly AgentId[],
): Promise<Whereabouts> {
  const readHolding = async (agent: AgentId): Promise<readonly [AgentId, Holding]> => {
    const { lease, meta } = agentKeys(legion, agent);
    const [holder, stopped] = await Promise.all([
      link.command("GET", lease),
      link.command("HGET", meta, "stopped"),
    ]);
    return [agent, { holder: typeof holder === "string" ? holder : undefined, isStopped: stopped !== null }];
  };
  const [nodes, ...holdings] = await Promise.all([readNodes({ link, legion }), ...agents.map(readHolding)]);
  const byAgent = new Map(holdings);
  return {
    nodes: new Map(nodes.map((node) => [node.id, node])),
    of: (agent) => byAgent.get(agent) ?? { holder: undefined, isStopped: false },
  };
}

/** `<pid>@<host>`: what a node's id begins with. */
export function nodeName(id: string): string {
  return id.split("/", 1)[0]!;
}
