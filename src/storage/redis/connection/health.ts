// What a server must be set to, so that what it accepted is still there tomorrow.

import { isForbidden } from "./faults.ts";
import { factsIn } from "./topology.ts";
import { mayEndTorn } from "./torn-tail.ts";
import type { Link } from "./link.ts";

export interface Finding {
  /** `refuse`: sooner or later a legion loses what was accepted. `warn`: it does when the machine of Redis fails too. */
  readonly severity: "refuse" | "warn";
  /** What is wrong, and what may be lost. */
  readonly text: string;
  /** What mends it. */
  readonly remedy: string;
}

const ALWAYS = "in redis.conf: appendonly yes and appendfsync always";

/**
 * Asks every server that holds data for its settings, and changes nothing. Empty: all is well. Rejects as the link does.
 *
 * @see https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/
 */
export async function examine(link: Link): Promise<readonly Finding[]> {
  const [infos, settings] = await Promise.all([link.commandAll("INFO"), readSettings(link)]);
  const findings = infos.flatMap(({ server, reply }) => {
    const facts = factsIn(reply);
    const found = [judgeDurability(facts, settings.get(server)), judgeEviction(facts)];
    return found.flatMap((finding) => (finding ? [{ ...finding, text: `${server} ${finding.text}` }] : []));
  });
  const isCluster = infos.some(({ reply }) => factsIn(reply).get("cluster_enabled") === "1");
  return isCluster ? [...findings, ...(await judgeCluster(link))] : findings;
}

/** What one server tells about itself; what it does not tell is absent. */
type Facts = ReadonlyMap<string, string>;

/** By server. Empty where the settings are only the provider's business. */
async function readSettings(link: Link): Promise<ReadonlyMap<string, Facts>> {
  try {
    const answers = await link.commandAll("CONFIG", "GET", "appendonly", "appendfsync", "save");
    return new Map(answers.map(({ server, reply }) => [server, pairsIn(reply)]));
  } catch (error) {
    if (isForbidden(error)) return new Map();
    throw error;
  }
}

function pairsIn(reply: unknown): Facts {
  const flat = Array.isArray(reply) ? reply.map(String) : [];
  return new Map(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ""] as const] : [])));
}

function judgeDurability(facts: Facts, settings?: Facts): Finding | undefined {
  const logsCommands = facts.get("aof_enabled") === "1";
  const fsync = settings?.get("appendfsync");
  const warn = (text: string, remedy = ALWAYS): Finding => ({ severity: "warn", text, remedy });
  if (fsync === undefined) {
    const known = logsCommands
      ? "a log of its commands, but not when it is on disk"
      : "no log of its commands";
    return warn(
      `does not tell its settings; it keeps ${known}. Durability unknown: what it accepted last may be lost with it`,
      "ask your provider for an append-only file that is written at every command",
    );
  }
  if (!logsCommands) {
    if (settings?.get("save") !== "")
      return warn("only writes snapshots: a crash loses everything since the last one");
    return {
      severity: "refuse",
      text: "keeps nothing on disk: a restart of it loses the whole legion",
      remedy: ALWAYS,
    };
  }
  if (mayEndTorn(facts))
    return warn(
      "has not written its append-only file anew since it started: if it was killed in the midst of writing, its next restart may undo what it acknowledged since",
      "allow its user `+bgrewriteaof`, which is then asked for at each of its starts",
    );
  if (fsync === "everysec") return warn("writes to its disk every second: a power cut loses up to 2 s");
  if (fsync === "no")
    return warn("leaves it to the system when to write to its disk: a power cut may lose 30 s or more");
  return undefined;
}

function judgeEviction(facts: Facts): Finding | undefined {
  const eviction = facts.get("maxmemory_policy") ?? "noeviction";
  if (Number(facts.get("maxmemory") ?? 0) === 0 || eviction === "noeviction") return undefined;
  return {
    severity: "refuse",
    text: `deletes what it keeps when its memory is full (maxmemory-policy ${eviction}): mail, logs and leases disappear unseen`,
    remedy: "in redis.conf: maxmemory-policy noeviction",
  };
}

async function judgeCluster(link: Link): Promise<readonly Finding[]> {
  const answers = await link.commandAll("CLUSTER", "INFO");
  return answers.flatMap(({ server, reply }) => {
    const state = factsIn(reply).get("cluster_state");
    if (state === "ok") return [];
    const text = `${server} calls its Cluster not whole (cluster_state ${state}): some agents cannot work`;
    return [{ severity: "refuse" as const, text, remedy: "redis-cli --cluster check tells what is missing" }];
  });
}

/**
 * `always`: what is acknowledged is on the disk of the only server that will ever answer for it. A server that another one
 * may take over from is `weak`: what it acknowledged last may not have reached that one. One that Sentinels watch may have
 * no replica at this moment, such as after a failover, and have one later.
 */
export async function durabilityOf(link: Link, findings: readonly Finding[]): Promise<"always" | "weak"> {
  if (findings.length > 0) return "weak";
  const infos = await link.commandAll("INFO");
  const isAlone = infos.every(({ reply }) => {
    const facts = factsIn(reply);
    return facts.get("cluster_enabled") !== "1" && (facts.get("connected_slaves") ?? "0") === "0";
  });
  return isAlone && !(await isWatched(link)) ? "always" : "weak";
}

/** Every Sentinel listens there on each server that it watches. Where that is not told, it may be so. */
async function isWatched(link: Link): Promise<boolean> {
  try {
    const answers = await link.commandAll("PUBSUB", "NUMSUB", "__sentinel__:hello");
    return answers.some(({ reply }) => !Array.isArray(reply) || Number(reply[1]) > 0);
  } catch (error) {
    if (isForbidden(error)) return true;
    throw error;
  }
}
