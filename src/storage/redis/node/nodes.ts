// The processes that share a legion in Redis, and who of them runs which agents.

import type { AgentId } from "../../../domain/message/message.ts";
import type { Channel, Holding, Nodes, Whereabouts } from "../../contract/nodes.ts";
import { readRegistry, setStopped } from "../cluster/directory.ts";
import { readNodes } from "../cluster/members.ts";
import { boundTo } from "./registration.ts";
import { agentKeys, legionKeys } from "../scripts/keys.ts";
import type { LuaScript } from "../connection/script.ts";
import type { LegionPlace } from "../scripts/scope.ts";

/** All of it rejects with STORAGE if Redis does not answer. */
export function createRedisNodes(place: LegionPlace): Nodes {
  const { link, legion } = place;
  const keys = legionKeys(legion);
  const channelAt = (name: string): Channel => ({
    say: async (text) => void (await link.command("PUBLISH", name, text)),
    hint: (text) => link.hint(name, text),
    listen: (hear) => link.listen(name, hear),
  });
  return {
    legion,
    shown: link.shown,
    list: () => readNodes(place),
    whereabouts: (agents) => readWhereabouts(place, agents),
    async homes() {
      const records = await readRegistry(link, legion);
      return (agent) => boundTo(records.get(agent));
    },
    bar: (agent) => setStopped({ ...place, agent }),
    channel: (to, id) => channelAt({ node: keys.orders, client: keys.answers, viewers: keys.live }[to](id)),
    watched: channelAt(keys.watched),
  };
}

/**
 *   KEYS  lease, meta of an agent
 *   ->    {who holds its lease or "", 1 if a person has stopped it}
 */
const HOLDING: LuaScript = {
  name: "holding",
  keys: 2,
  lua: `return {redis.call('GET', KEYS[1]) or '', redis.call('HEXISTS', KEYS[2], 'stopped')}`,
};

/** One round trip, however many `agents` there are. */
async function readWhereabouts(place: LegionPlace, agents: readonly AgentId[]): Promise<Whereabouts> {
  const { link, legion } = place;
  const readHolding = async (agent: AgentId): Promise<readonly [AgentId, Holding]> => {
    const { lease, meta } = agentKeys(legion, agent);
    const [holder, stopped] = (await link.run(HOLDING, [lease, meta], [])) as readonly [string, number];
    return [agent, { holder: holder || undefined, isStopped: stopped === 1 }];
  };
  const [nodes, ...holdings] = await Promise.all([readNodes(place), ...agents.map(readHolding)]);
  const byAgent = new Map(holdings);
  return {
    nodes: new Map(nodes.map((node) => [node.id, node])),
    of: (agent) => byAgent.get(agent) ?? { holder: undefined, isStopped: false },
  };
}
