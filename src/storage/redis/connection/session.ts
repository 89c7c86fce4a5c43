// The connections of a link: one for commands (in a Cluster one per master) and one for what is said on channels. They are
// opened together, and given up together as soon as one of them fails: a link is up or down, never half of it.

import type { Cluster, Redis, RedisOptions } from "ioredis";
import { LegionError } from "../../../base/errors.ts";
import type { RedisAddress } from "./address.ts";
import { isOutOfReach } from "./faults.ts";
import { leaveTornTail } from "./torn-tail.ts";
import { factsIn, factsOf, findServer, type Found } from "./topology.ts";
import { connect, openCluster, openNode, wire, type Wiring } from "./wiring.ts";
import { createSender } from "./words.ts";

const NEEDED_MAJOR = 7;

export interface SessionOptions {
  readonly address: RedisAddress;
  /** How long a connection may be silent while something was asked. */
  readonly timeoutMs: number;
  /** Subscribed before the session counts as open. */
  readonly channels: readonly string[];
  onMessage(channel: string, text: string): void;
}

export interface Session {
  readonly client: Redis | Cluster;
  readonly subscriber: Redis;
  /** Sends a command of many words; absent in a Cluster, where it depends on them who is asked. */
  readonly send?: Awaited<ReturnType<typeof createSender>>;
  /** Those that hold the data: one, or in a Cluster several. */
  masters(): readonly Redis[];
  /** As it began, what `incarnationOf` makes of its masters. */
  readonly incarnation: string;
  /** Aborts with the reason when a connection is lost. Aborting it gives up all of them at once. */
  readonly life: AbortController;
}

/** One try. Rejects with what went wrong, as it was thrown; then nothing is left open. */
export async function openSession({
  address,
  timeoutMs,
  channels,
  onMessage,
}: SessionOptions): Promise<Session> {
  const wiring = await wire(address, timeoutMs);
  const found = await findServer(wiring);
  const life = new AbortController();
  try {
    const { client, masters, send } = await openCommands(found, wiring, life);
    const runIds = await Promise.all(masters().map((master) => requireFit(master, address)));
    const subscriber = await openNode(subscriberSettings(found, wiring, masters()), life);
    // What is under way when the session ends is of servers that may be others by now.
    subscriber.on("message", (channel, text) => life.signal.aborted || onMessage(channel, text));
    if (channels.length > 0) await subscriber.subscribe(...channels);
    if (found.kind === "sentinels") await watchFailover(found, wiring, life);
    life.signal.throwIfAborted();
    keepBeating(() => [subscriber, ...masters()], timeoutMs, life.signal);
    return { client, send, subscriber, masters, incarnation: incarnationOf(runIds), life };
  } catch (error) {
    life.abort(error);
    throw isOutOfReach(error) ? (BEHIND[found.kind] ?? error) : error;
  }
}

/** What answered is only the way to what holds the data. */
const BEHIND: Readonly<Partial<Record<Found["kind"], Error>>> = {
  sentinels: new Error("MASTERDOWN"),
  cluster: new Error("CLUSTERDOWN"),
};

async function openCommands(
  found: Found,
  wiring: Wiring,
  life: AbortController,
): Promise<Pick<Session, "client" | "masters" | "send">> {
  if (found.kind === "cluster") {
    const client = await openCluster(wiring, life);
    return { client, masters: () => client.nodes("master") };
  }
  const client = await openNode(settingsFor(found, wiring), life);
  return { client, masters: () => [client], send: await createSender(client) };
}

function settingsFor(
  found: Exclude<Found, { kind: "cluster" }>,
  { address, settings }: Wiring,
): RedisOptions {
  if (found.kind === "server") return { ...settings, ...found.host };
  return {
    ...settings,
    // The one that answers comes first: each that does not costs a wait.
    sentinels: [found.host, ...address.hosts.filter((host) => host !== found.host)],
    name: found.master,
    sentinelUsername: found.login.username,
    sentinelPassword: found.login.password,
    sentinelTLS: settings.tls,
    enableTLSForSentinelMode: address.isTls,
    sentinelCommandTimeout: settings.commandTimeout,
    sentinelRetryStrategy: () => null,
  };
}

/** In a Cluster every node tells what was said at any of them. */
function subscriberSettings(found: Found, wiring: Wiring, masters: readonly Redis[]): RedisOptions {
  if (found.kind !== "cluster") return settingsFor(found, wiring);
  const { host, port } = masters[Math.floor(Math.random() * masters.length)]?.options ?? {};
  return { ...wiring.settings, host, port };
}

/** Servers are the same as long as their run ids are. */
export function incarnationOf(runIds: readonly string[]): string {
  return runIds.toSorted().join(" ");
}

/** Resolves with its run id. */
async function requireFit(master: Redis, { shown }: RedisAddress): Promise<string> {
  const facts = await factsOf(master);
  const version = facts.get("redis_version") ?? "unknown";
  if (!(Number.parseInt(version, 10) >= NEEDED_MAJOR)) {
    throw new LegionError(
      "STORAGE",
      `${shown} is Redis ${version}: AI Legion needs ${NEEDED_MAJOR}.0 or newer`,
    );
  }
  // The first word of what it would answer to the first command that writes.
  if (facts.get("role") !== "master") throw new Error("READONLY");
  // Each member finds out by itself that its Cluster is whole again.
  const isMember = facts.get("cluster_enabled") === "1";
  if (isMember && factsIn(await master.cluster("INFO")).get("cluster_state") !== "ok")
    throw new Error("CLUSTERDOWN");
  await leaveTornTail(master, facts);
  return facts.get("run_id") ?? "";
}

/** The old master may be out of reach of the Sentinels and still answer here; they say when another one took over. */
async function watchFailover(
  { host, master, login }: Extract<Found, { kind: "sentinels" }>,
  { settings }: Wiring,
  life: AbortController,
): Promise<void> {
  const { Redis } = await import("ioredis");
  const sentinel = new Redis({
    ...settings,
    ...host,
    ...login,
    db: 0,
    enableReadyCheck: false,
    autoResubscribe: true,
    retryStrategy: (times) => Math.min(times * 1_000, 30_000),
  });
  life.signal.addEventListener("abort", () => sentinel.disconnect());
  sentinel.on("message", (_, text: string) => {
    if (text.startsWith(`${master} `)) life.abort(new Error("MASTERDOWN"));
  });
  await connect(sentinel);
  await sentinel.subscribe("+switch-master");
}

/** A connection that is silent because nothing is asked may be dead for hours without a sign. Asking makes it show. */
function keepBeating(connections: () => readonly Redis[], everyMs: number, signal: AbortSignal): void {
  const timer = setInterval(() => {
    // What comes of it does not matter: a connection that does not answer is closed by its own timeout.
    for (const connection of connections()) connection.ping().catch(() => "silent");
  }, everyMs);
  timer.unref();
  signal.addEventListener("abort", () => clearInterval(timer));
}
