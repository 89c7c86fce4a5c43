import { expect, onTestFinished } from "vitest";
import { accountMemory, createStanding, type MemoryStanding } from "../../../../src/past/memory/standing.ts";
import type { Memories } from "../../../../src/storage/contract/memory/memories.ts";
import type { Link } from "../../../../src/storage/redis/connection/link.ts";
import { createRedisMemories } from "../../../../src/storage/redis/memories/memories.ts";
import { eventsOf, ID, type MemoriesPlace } from "../../contract/memory/memory-letters.ts";
import { openTestLink } from "../members.ts";
import { newLegion } from "../places.ts";
import { tell } from "../servers.ts";

export interface RedisMemoriesPlace extends MemoriesPlace {
  readonly legion: string;
}

/** Each that is opened has a link of its own, as each process has. */
export function redisMemories(
  url: string,
  ports: readonly number[],
  legion = newLegion(),
): RedisMemoriesPlace {
  const links = new Map<Memories, Link>();
  return {
    legion,
    async open() {
      const link = await openTestLink(url);
      const memories = createRedisMemories({ link, legion });
      onTestFinished(() => memories.close());
      links.set(memories, link);
      return memories;
    },
    kill: (memories) => links.get(memories)!.close(),
    bytes: async () => (await keptIn(ports, legion)).join("\n"),
  };
}

const VALUE: Readonly<Record<string, readonly string[]>> = {
  string: ["GET"],
  hash: ["HGETALL"],
  set: ["SMEMBERS"],
  zset: ["ZRANGE", "0", "-1"],
  list: ["LRANGE", "0", "-1"],
  stream: ["XRANGE", "-", "+"],
};

/** Of every key that has to do with a legion, on all servers, its name, its type, and all that it holds. */
export async function keptIn(ports: readonly number[], legion: string): Promise<readonly string[]> {
  const kept: string[] = [];
  for (const port of ports) {
    for (const key of (await tell(port, "KEYS", "*")) as readonly string[]) {
      if (!key.includes(legion)) continue;
      const type = String(await tell(port, "TYPE", key));
      const [command, ...rest] = VALUE[type]!;
      kept.push(JSON.stringify([key, type, await tell(port, command!, key, ...rest)]));
    }
  }
  return kept;
}

/** What a memory says of itself must be what its events add up to, and say at once what all of them would. */
export async function expectFolded(memories: Memories): Promise<MemoryStanding> {
  const standing = createStanding();
  for (const event of await eventsOf(memories)) accountMemory(standing, event);
  expect(await memories.read(ID).standing()).toEqual(standing);
  return standing;
}

/** The texts of its entries, oldest first. */
export async function textsOf(memories: Memories): Promise<readonly string[]> {
  return (await eventsOf(memories)).flatMap((event) => (event.kind === "entry" ? [event.raw] : []));
}
