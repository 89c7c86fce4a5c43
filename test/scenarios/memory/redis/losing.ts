// A Cluster of which one server loses what it acknowledged last, while the others lose nothing.

import { readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { newLegion } from "../../../storage/redis/places.ts";
import { startCluster, tell, until, type Server } from "../../../storage/redis/servers.ts";
import { agentKeys, legionKeys } from "../../../../src/storage/redis/scripts/keys.ts";

export interface LosingCluster {
  readonly url: string;
  readonly name: string;
  /** What is written from now on is lost by `lose`. */
  mark(): void;
  /** The power of that server fails, and comes back. */
  lose(): Promise<void>;
}

const SLOTS = 16_384;

/** The server that loses something has all of `loser`, of an agent or a memory, and nothing of `others` or of the legion as a whole. */
export async function startLosingCluster(loser: string, others: readonly string[]): Promise<LosingCluster> {
  const cluster = await startCluster();
  onTestFinished(() => cluster.stop());
  const { servers, url } = cluster;
  const ownerOf = async (key: string): Promise<Server> => {
    const slot = Number(await tell(servers[0]!.port, "CLUSTER", "KEYSLOT", key));
    return servers.findLast((_, at) => Math.ceil((at * SLOTS) / servers.length) <= slot)!;
  };
  for (;;) {
    const name = newLegion();
    const server = await ownerOf(agentKeys(name, loser).meta);
    const rest = [legionKeys(name).agents, ...others.map((agent) => agentKeys(name, agent).meta)];
    if ((await Promise.all(rest.map(ownerOf))).includes(server)) continue;
    return { url, name, ...losing(server, servers) };
  }
}

function losing(server: Server, all: readonly Server[]): Pick<LosingCluster, "mark" | "lose"> {
  const file = (): string => {
    const folder = join(server.dir, "appendonlydir");
    return join(
      folder,
      readdirSync(folder).find((name) => name.endsWith(".incr.aof"))!,
    );
  };
  let size = 0;
  return {
    mark: () => void (size = statSync(file()).size),
    async lose() {
      await server.kill();
      truncateSync(file(), size);
      await server.restart();
      for (const { port } of all)
        await until(async () => String(await tell(port, "CLUSTER", "INFO")).includes("cluster_state:ok"));
    },
  };
}
