// Real Redis servers for a test: on free ports of 127.0.0.1, in temporary folders.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import { findRedis } from "../../../scripts/redis.mjs";
import { createCertificates, type Certificates } from "./certificates.ts";
import { freePort, keep } from "./keeper.ts";

/**
 * Without a server the tests that need one are left out: `describe.skipIf(!redisIsThere)`. With `CI=true` they fail.
 */
export const redisIsThere = findRedis() !== undefined || process.env.CI === "true";

export interface ServerOptions {
  /** Lines of redis.conf that come after the usual ones, such as `maxmemory 2mb`. */
  readonly config?: readonly string[];
  /** Default: a free one. */
  readonly port?: number;
  /** `only`: it answers nothing else than TLS. */
  readonly tls?: "only";
}

export interface Server {
  readonly port: number;
  /** Without user and password. */
  readonly url: string;
  readonly dir: string;
  /** Changes with `restart`. */
  readonly pid: number;
  /** With `tls`: the certificate of the authority. */
  readonly authority: string;
  /** Default: SIGKILL. Resolves once it is gone, but for SIGSTOP and SIGCONT. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Begins again with what is in its folder, on the same port; a server that still runs is killed before. */
  restart(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/** With `appendonly yes` and `appendfsync always`. */
export async function startRedis(options: ServerOptions = {}): Promise<Server> {
  const port = options.port ?? (await freePort());
  const durable = ['save ""', "appendonly yes", "appendfsync always"];
  return start({
    port,
    ready: /Ready to accept connections/,
    ...options,
    config: [...durable, ...(options.config ?? [])],
  });
}

async function start(
  options: ServerOptions & { port: number; ready: RegExp; mode?: string },
): Promise<Server> {
  const { port, tls, ready, config = [], mode } = options;
  const programs = findRedis();
  if (!programs) throw new Error("no redis-server here: node scripts/check.mjs brings one");
  const dir = mkdtempSync(join(tmpdir(), "legion-redis-"));
  const certificates = tls && createCertificates(dir);
  const listening = certificates
    ? ["port 0", `tls-port ${port}`, ...tlsLines(certificates)]
    : [`port ${port}`];
  const file = join(dir, "redis.conf");
  writeFileSync(file, [...listening, "bind 127.0.0.1", `dir ${dir}`, ...config, ""].join("\n"));
  const command = [programs.server, file, ...(mode === undefined ? [] : [mode])];
  const begin = () => keep({ command, folder: dir, ready });
  let running = await begin();
  return {
    port,
    dir,
    url: `redis${tls ? "s" : ""}://127.0.0.1:${port}`,
    authority: certificates ? certificates.authority : "",
    get pid() {
      return running.pid;
    },
    async kill(signal = "SIGKILL") {
      process.kill(running.pid, signal);
      if (signal !== "SIGSTOP" && signal !== "SIGCONT") await running.gone;
    },
    async restart() {
      await running.end("keep");
      running = await begin();
    },
    stop: () => running.end("remove"),
  };
}

export interface Servers {
  readonly servers: readonly Server[];
  /** Of all of them. */
  readonly url: string;
  stop(): Promise<void>;
}

const SLOTS = 16_384;
const MASTERS = 3;

export interface ClusterOptions extends Pick<ServerOptions, "config"> {
  /** With these the members speak TLS to each other, and beside the usual port on another one to everybody. */
  readonly certificates?: Certificates;
}

/** Three masters without replicas, each with a third of the slots. */
export async function startCluster(options: ClusterOptions = {}): Promise<Servers> {
  const servers = await Promise.all(Array.from({ length: MASTERS }, () => startMember(options)));
  const first = (at: number) => Math.ceil((at * SLOTS) / MASTERS);
  for (const [at, { port }] of servers.entries()) {
    await tell(port, "CLUSTER", "ADDSLOTSRANGE", first(at), first(at + 1) - 1);
    await tell(port, "CLUSTER", "SET-CONFIG-EPOCH", at + 1);
  }
  await introduce(servers);
  return together(servers, (all) => all);
}

/** A replica of each master, in the same order; it takes over when the master was silent for some seconds. */
export async function startReplicas({ servers: masters }: Servers): Promise<Servers> {
  const replicas = await Promise.all(masters.map(() => startMember()));
  await introduce([...masters, ...replicas]);
  for (const [at, { port }] of replicas.entries()) {
    await tell(port, "CLUSTER", "REPLICATE", String(await tell(masters[at]!.port, "CLUSTER", "MYID")));
    await until(async () =>
      String(await tell(port, "INFO", "replication")).includes("master_link_status:up"),
    );
  }
  return together(replicas, (all) => all);
}

async function startMember({ config = [], certificates }: ClusterOptions = {}): Promise<Server> {
  const timing = ["cluster-enabled yes", `cluster-port ${await freePort()}`, "cluster-node-timeout 2000"];
  const security = certificates
    ? [`tls-port ${await freePort()}`, "tls-cluster yes", "tls-replication yes", ...tlsLines(certificates)]
    : [];
  return startRedis({ config: [...timing, ...security, "repl-diskless-sync-delay 0", ...config] });
}

function tlsLines({ certificate, key, authority }: Certificates): readonly string[] {
  const files = [`tls-cert-file ${certificate}`, `tls-key-file ${key}`, `tls-ca-cert-file ${authority}`];
  return [...files, "tls-auth-clients no"];
}

/** Resolves when all know all. */
async function introduce(servers: readonly Server[]): Promise<void> {
  for (const { port } of servers.slice(1)) {
    const [, busPort = ""] = String(await tell(port, "CONFIG", "GET", "cluster-port")).split(",");
    await tell(servers[0]!.port, "CLUSTER", "MEET", "127.0.0.1", port, busPort);
  }
  for (const { port } of servers) {
    await until(async () => {
      const said = String(await tell(port, "CLUSTER", "INFO"));
      return said.includes("cluster_state:ok") && said.includes(`cluster_known_nodes:${servers.length}`);
    });
  }
}

export interface Watched extends Servers {
  readonly master: Server;
  readonly replica: Server;
  readonly sentinels: readonly Server[];
}

/** A master that is called `legion`, a replica, and Sentinels that take a silent master for dead after a second. */
export async function startSentinel(options: { readonly count?: number } = {}): Promise<Watched> {
  const { count = 1 } = options;
  const master = await startRedis();
  const replica = await startRedis({
    config: [`replicaof 127.0.0.1 ${master.port}`, "repl-diskless-sync-delay 0"],
  });
  const quorum = Math.floor(count / 2) + 1;
  const watching = [
    `sentinel monitor legion 127.0.0.1 ${master.port} ${quorum}`,
    "sentinel down-after-milliseconds legion 1000",
    "sentinel failover-timeout legion 3000",
  ];
  const sentinels = await Promise.all(
    Array.from({ length: count }, async () =>
      start({
        port: await freePort(),
        config: watching,
        ready: /\+monitor master legion/,
        mode: "--sentinel",
      }),
    ),
  );
  for (const { port } of sentinels) {
    await until(async () => {
      const said = String(await tell(port, "SENTINEL", "MASTER", "legion"));
      return said.includes("num-slaves,1") && said.includes(`num-other-sentinels,${count - 1}`);
    });
  }
  await until(async () =>
    String(await tell(replica.port, "INFO", "replication")).includes("master_link_status:up"),
  );
  return { ...together([master, replica, ...sentinels], () => sentinels), master, replica, sentinels };
}

function together(
  servers: readonly Server[],
  doors: (servers: readonly Server[]) => readonly Server[],
): Servers {
  return {
    servers,
    url: `redis://${doors(servers)
      .map(({ port }) => `127.0.0.1:${port}`)
      .join(",")}`,
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

/** One command to the server on `port`, beside everything that is tested. */
export async function tell(
  port: number,
  name: string,
  ...args: readonly (string | number)[]
): Promise<unknown> {
  const redis = new Redis({
    port,
    host: "127.0.0.1",
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: null,
  });
  redis.on("error", () => {});
  try {
    return await redis.call(name, ...args);
  } finally {
    redis.disconnect();
  }
}

/** Looks again every 20 ms: servers agree among themselves, and tell nobody when they have. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(20);
}
