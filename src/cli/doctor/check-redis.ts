// How a legion in Redis is, and whether that Redis keeps what it accepts. Reads only.

import { messageOf } from "../../base/errors.ts";
import { count } from "../../base/text/wording.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { createRedisReader } from "../../storage/redis/reader/reader.ts";
import type { RedisAddress } from "../../storage/redis/connection/address.ts";
import { factsIn } from "../../storage/redis/connection/topology.ts";
import { examine } from "../../storage/redis/connection/health.ts";
import { openLink, type Link } from "../../storage/redis/connection/link.ts";
import { readNodes } from "../../storage/redis/cluster/members.ts";
import { sizeOfAgent } from "../../storage/redis/scripts/size.ts";
import { checkHalt } from "./check-project.ts";
import { finding, type DoctorFinding } from "./finding.ts";
import { namesOf } from "../kit/output.ts";

const MEBIBYTE = 1_048_576;
const MAX_NAMED = 10;

/** One try to reach it. */
export async function* checkRedis(address: RedisAddress, legion: string): AsyncGenerator<DoctorFinding> {
  let link: Link | undefined;
  try {
    link = await openLink(address);
    yield* checkServers(link);
    yield* checkLegion(link, legion);
  } catch (error) {
    yield finding("redis", "wrong", messageOf(error));
  } finally {
    await link?.close();
  }
}

async function* checkServers(link: Link): AsyncGenerator<DoctorFinding> {
  const servers = await link.commandAll("INFO");
  const all = servers.map(({ server, reply }) => ({ server, facts: factsIn(reply) }));
  for (const { server, facts } of all) {
    const role = roleOf(facts, servers.length);
    yield finding("redis", "ok", `${server} answers: ${facts.get("redis_version")}, ${role}`);
    yield finding("redis memory", "ok", `${server}: ${memoryIn(facts)}`);
  }
  const findings = await examine(link);
  for (const { severity, text, remedy } of findings) {
    yield finding("redis settings", severity === "refuse" ? "wrong" : "warning", `${text}; ${remedy}`);
  }
  if (findings.length > 0) return;
  const kept = "what is accepted is kept, also when the power fails";
  const more = "; where a replica takes over, what came last may be lost";
  const isReplicated = all.some(({ facts }) => replicasIn(facts) > 0);
  yield finding("redis settings", "ok", isReplicated ? kept + more : kept);
}

function roleOf(facts: ReadonlyMap<string, string>, masters: number): string {
  const copies = replicasIn(facts);
  const replicas = copies === 0 ? "without replicas" : `with ${count(copies, "replica")}`;
  if (facts.get("cluster_enabled") === "1") {
    const place = masters === 1 ? "the only master" : `one of the ${masters} masters`;
    return `${place} of a Cluster, ${replicas}`;
  }
  return copies === 0 ? "standalone" : `a master ${replicas}`;
}

function replicasIn(facts: ReadonlyMap<string, string>): number {
  return Number(facts.get("connected_slaves") ?? 0);
}

function memoryIn(facts: ReadonlyMap<string, string>): string {
  const used = inUnits(Number(facts.get("used_memory")));
  const limit = Number(facts.get("maxmemory"));
  if (!(limit > 0)) return `${used} used, no limit set`;
  return `${used} of ${inUnits(limit)} used; when it is full, mail and decisions are refused`;
}

async function* checkLegion(link: Link, legion: string): AsyncGenerator<DoctorFinding> {
  const reader = createRedisReader({ link, legion });
  const nodes = await readNodes({ link, legion });
  const check = `legion ${legion}`;
  const shown = nodes.map(({ name, agents }) => `${name} runs ${agents}`).join(", ");
  yield finding(check, "ok", `nodes: ${shown || "none"}`);
  const agents = await reader.known();
  const names = agents.length > MAX_NAMED ? `${agents.length} agents` : agents.join(", ");
  if (agents.length === 0 && nodes.length > 0) {
    const detail = "agents: none, but nodes run: Redis has lost them; start them again to begin anew";
    return yield finding(check, "wrong", detail);
  }
  yield finding(check, "ok", `agents: ${names || "none yet"}`);
  if (agents.length > 0) yield finding(check, "ok", await describeSizes(link, legion, agents));
  for (const id of agents) yield* checkHalt(reader, id);
}

async function describeSizes(link: Link, legion: string, agents: readonly AgentId[]): Promise<string> {
  const bytes = await Promise.all(agents.map((agent) => sizeOfAgent({ link, legion, agent })));
  const all = bytes.reduce((sum, each) => sum + each, 0);
  const most = Math.max(...bytes);
  const largest = namesOf([agents[bytes.indexOf(most)]!]);
  const each = `${inUnits(all / agents.length)} for each agent, ${inUnits(most)} for ${largest}`;
  return `memory: ${inUnits(all)}, ${each}; texts over 64 KiB not counted`;
}

function inUnits(bytes: number): string {
  return bytes < MEBIBYTE ? `${Math.ceil(bytes / 1_024)} KiB` : `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}
