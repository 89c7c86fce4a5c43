// Which agents a legion has, and what the last start made of each: JSON texts that whoever wrote them can read.

import { fieldsOf, readJson } from "../../../base/text/json.ts";
import { isAgentId, type AgentId } from "../../../domain/message/message.ts";
import { byId } from "../../contract/reader.ts";
import { agentKeys, legionKeys } from "../scripts/keys.ts";
import type { Link } from "../connection/link.ts";
import type { RedisPlace } from "../scripts/scope.ts";
import type { LuaScript } from "../connection/script.ts";

/**
 * Writes what a start made of agents, of all of them at once, as far as that is news.
 *
 *   KEYS  agents, version
 *   ARGV  agent, record, agent, record...
 *   ->    1 if anything was news
 */
const ENLIST: LuaScript = {
  name: "enlist",
  keys: 2,
  lua: `
local isNews = 0
for i = 1, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) ~= ARGV[i + 1] then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
    isNews = 1
  end
end
if isNews == 1 then redis.call('INCR', KEYS[2]) end
return isNews`,
};

/**
 * Reads all agents, unless the caller has them as they are.
 *
 *   KEYS  agents, version
 *   ARGV  the version that the caller has
 *   ->    {version} if it is that one; otherwise {version, agent, record, agent, record...}
 */
const AGENTS: LuaScript = {
  name: "agents",
  keys: 2,
  lua: `
local version = redis.call('GET', KEYS[2]) or '0'
if version == ARGV[1] then return {version} end
local reply = redis.call('HGETALL', KEYS[1])
table.insert(reply, 1, version)
return reply`,
};

/** Makes an agent known, so that mail to it is accepted and nodes may take it, also if a person had stopped it. */
export async function enlist(place: RedisPlace, record: string): Promise<void> {
  const { link, legion, agent } = place;
  // Whoever reads of it in the list can write to it already.
  const [wasStopped] = await Promise.all([
    link.command("HDEL", agentKeys(legion, agent).meta, "stopped"),
    setKnown(place),
  ]);
  await listAgents(place, new Map([[agent, record]]));
  if (wasStopped === 1) link.hint(legionKeys(legion).free, agent);
}

/** From now on mail to it is accepted. */
export async function setKnown({ link, legion, agent }: RedisPlace): Promise<void> {
  await link.command("HSET", agentKeys(legion, agent).meta, "known", 1);
}

/** Mail to it is refused again; for an agent that is in no list. */
export async function setUnknown({ link, legion, agent }: RedisPlace): Promise<void> {
  await link.command("HDEL", agentKeys(legion, agent).meta, "known");
}

/** Shows agents to everybody, all at once, each with what a start made of it; they are known already. */
export async function listAgents(
  { link, legion }: Pick<RedisPlace, "link" | "legion">,
  records: ReadonlyMap<AgentId, string>,
): Promise<void> {
  const { agents, agentsVersion } = legionKeys(legion);
  await link.run(ENLIST, [agents, agentsVersion], [...records].flat());
}

/** From now on no node takes it, until a start names it again. Who runs it has to be told besides. */
export async function setStopped({ link, legion, agent }: RedisPlace): Promise<void> {
  await link.command("HSET", agentKeys(legion, agent).meta, "stopped", 1);
}

/** A record that binds the agent to no workspace; an empty one for what is none. */
export function withoutWorkspace(record: string): string {
  const { workspace: _, mac: __, ...rest } = fieldsOf(readJson(record));
  return `${JSON.stringify(rest, null, 2)}\n`;
}

export interface Registry {
  /** The record of each agent, 2 before 10, as of the last `refresh`. */
  readonly agents: ReadonlyMap<AgentId, string>;
  /** Costs little where nothing has changed. */
  refresh(): Promise<void>;
}

/** Empty before the first `refresh`. */
export function createRegistry(link: Link, legion: string): Registry {
  const { agents: key, agentsVersion } = legionKeys(legion);
  let agents: ReadonlyMap<AgentId, string> = new Map();
  let version = "";
  return {
    get agents() {
      return agents;
    },
    async refresh() {
      const reply = (await link.run(AGENTS, [key, agentsVersion], [version])) as readonly string[];
      if (reply.length === 1 && reply[0] === version) return;
      // Any program may have written there.
      const known = pairsOf(reply.slice(1)).filter(([id]) => isAgentId(id));
      agents = new Map(known.sort(([a], [b]) => byId(a, b)));
      version = reply[0]!;
    },
  };
}

export async function readRegistry(link: Link, legion: string): Promise<ReadonlyMap<AgentId, string>> {
  const registry = createRegistry(link, legion);
  await registry.refresh();
  return registry.agents;
}

function pairsOf(flat: readonly string[]): (readonly [string, string])[] {
  return flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]!] as const] : []));
}
