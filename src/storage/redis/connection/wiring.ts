// How this program connects to what is at an address.

import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { Cluster, Redis, RedisOptions } from "ioredis";
import { LegionError, messageOf } from "../../../base/errors.ts";
import type { RedisAddress } from "./address.ts";

/** What every connection of one link has in common. */
export interface Wiring {
  readonly address: RedisAddress;
  readonly settings: RedisOptions;
}

/** `timeoutMs`: how long a connection may be silent while something was asked. Rejects with USAGE if the file of the authority cannot be read. */
export async function wire(address: RedisAddress, timeoutMs: number): Promise<Wiring> {
  const settings: RedisOptions = {
    username: address.user,
    password: address.password,
    db: address.database,
    tls: address.isTls ? await tlsFor(address) : undefined,
    connectTimeout: timeoutMs,
    // One bounds the wait of a command, the other gives up a connection on which nothing arrives any more.
    commandTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    connectionName: "ai-legion",
    disableClientInfo: true,
    lazyConnect: true,
    // Nothing waits inside of the library, and nothing is sent twice: what was not accepted is reported as not accepted.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
  };
  return { address, settings };
}

async function tlsFor({ hosts, authorityFile }: RedisAddress): Promise<ConnectionOptions> {
  const [first] = hosts;
  return {
    // Only a single server is surely the one that the name in the address is about.
    servername: first && hosts.length === 1 && isIP(first.host) === 0 ? first.host : undefined,
    ca: authorityFile === undefined ? undefined : await readAuthority(authorityFile),
  };
}

async function readAuthority(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const text = `the address of Redis: cannot read the file of ?ca=: ${messageOf(error)}`;
    throw new LegionError("USAGE", text, { cause: error });
  }
}

/** Opens one connection; it ends with `life`, and `life` with it. */
export async function openNode(settings: RedisOptions, life: AbortController): Promise<Redis> {
  const { Redis } = await import("ioredis");
  life.signal.throwIfAborted();
  const redis = new Redis(settings);
  life.signal.addEventListener("abort", () => redis.disconnect());
  redis.once("close", endWith(redis, life));
  await connect(redis);
  return redis;
}

/** Opens a connection to each master of the Cluster, and follows it when that changes. */
export async function openCluster({ address, settings }: Wiring, life: AbortController): Promise<Cluster> {
  const { Cluster } = await import("ioredis");
  life.signal.throwIfAborted();
  const { lazyConnect: _lazy, ...redisOptions } = settings;
  const cluster = new Cluster([...address.hosts], {
    redisOptions,
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: () => null,
    // What a node may already have done is not sent to another one.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: settings.connectTimeout,
    // With TLS a node has to be called by the name that its certificate bears.
    ...(address.isTls ? { dnsLookup: (host, found) => found(null, host) } : {}),
  });
  let cause: unknown;
  const keep = (error: unknown) => {
    cause ??= error;
  };
  cluster.on("error", keep).on("node error", keep);
  cluster.on("+node", (node: Redis) => {
    const end = endWith(node, life);
    node.once("close", () => {
      if (cluster.nodes("master").includes(node)) end();
    });
  });
  const ended = new Promise<never>((_, reject) => {
    cluster.once("end", () => reject(cause ?? new Error("CLUSTERDOWN")));
  });
  life.signal.addEventListener("abort", () => cluster.disconnect());
  await Promise.race([cluster.connect(), ended]);
  ended.catch((error: unknown) => life.abort(error));
  return cluster;
}

/** Rejects with the first thing that went wrong; ioredis itself only says that the connection is closed. */
export async function connect(redis: Redis): Promise<void> {
  let cause: unknown;
  redis.on("error", (error: unknown) => {
    cause ??= error;
  });
  await redis.connect().catch((error: unknown) => {
    cause ??= error;
  });
  // One that could not choose its database would go on with another one.
  if (cause !== undefined) throw cause;
}

function endWith(redis: Redis, life: AbortController): () => void {
  let cause: unknown;
  redis.on("error", (error: unknown) => {
    cause = error;
  });
  return () => life.abort(cause ?? new Error("Connection is closed."));
}
