// Which agents a legion has, and what the last start made of each: JSON texts that whoever wrote them can read.

import type { AgentId } from "../message.ts";
import { agentKeys, legionKeys } from "./keys.ts";
import type { Link } from "./link.ts";
import type { RedisPlace } from "./place.ts";
import type { Script } from "./script.ts";

/**
 * Writes what a start made of an agent, if that is news.
 *
 *   KEYS  agents, version
 *   ARGV  agent, record
 *   ->    1 if it was news
 */
const ENLIST: Script = {
  name: "enlist",
  keys: 2,
  lua: `
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('INCR', KEYS[2])
return 1`,
};

/**
 * Reads all agents, unless the caller has them as they are.
 *
 *   KEYS  agents, version
 *   ARGV  the version that the caller has
 *   ->    {version} if it is that one; otherwise {version, agent, record, agent, record...}
 */
const AGENTS: Script = {
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
export async function enlist({ link, legion, agent }: RedisPlace, record: string): Promise<void> {
  const { meta } = agentKeys(legion, agent);
  const { agents, agentsVersion, free } = legionKeys(legion);
  // Whoever reads of it in the list can write to it already.
  const [, wasStopped] = await Promise.all([
    link.command("HSET", meta, "known", 1),
    link.command("HDEL", meta, "stopped"),
  ]);
  await link.run(ENLIST, [agents, agentsVersion], [agent, record]);
  if (wasStopped === 1) link.hint(free, agent);
}

/** From now on no node takes it, until a start names it again. Who runs it has to be told besides. */
export async function setStopped({ link, legion, agent }: RedisPlace): Promise<void> {
  await link.command("HSET", agentKeys(legion, agent).meta, "stopped", 1);
}

export interface Registry {
  /** The record of each agent, as of the last `refresh`. */
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
      agents = new Map(pairsOf(reply.slice(1)));
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
