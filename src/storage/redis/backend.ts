// A legion in Redis, which other processes may run agents of as well.

import { LegionError } from "../../base/errors.ts";
import type { Backend } from "../contract/backend.ts";
import type { MemoryId } from "../../domain/memory/memory-id.ts";
import type { RedisAddress } from "./connection/address.ts";
import { durabilityOf, examine, type Finding } from "./connection/health.ts";
import type { DigestFolder } from "../folder/cache/digest-file.ts";
import { openLink, type Link, reachRedis } from "./connection/link.ts";
import { createRedisMemories } from "./memories/memories.ts";
import { openRedisNode, type RedisHome } from "./node/node.ts";
import { createRedisNodes } from "./node/nodes.ts";
import { createRedisReader, createRedisSource, followInRedis, readThrough } from "./reader/reader.ts";
import { receiveInRedis } from "./newcomer/receive.ts";
import type { Persistence } from "./scripts/lease.ts";
import { openRedisStore } from "./store.ts";

export interface RedisBackendOptions extends Omit<RedisHome, "durability" | "memories"> {
  /** May this Redis lose what it acknowledged? Absent: it is asked, once agents shall run. */
  readonly durability?: Persistence;
  /** May agents run on a Redis that can lose what it was given? Default `refuse`. */
  readonly volatile?: "allow" | "refuse";
  /** The folder of a memory's index on this machine; absent: what is searched is read through. */
  readonly indexes?: (memory: MemoryId) => string;
  /** Where digests of logs are kept on this machine; absent: nowhere. */
  readonly digests?: DigestFolder;
  /** Told what is wrong with its settings where agents run all the same. */
  readonly onWarning?: (text: string) => void;
}

export interface RedisAddressed extends Omit<RedisBackendOptions, "link"> {
  readonly address: RedisAddress;
  /** Told why the last try failed. Present: it is tried for half a minute; absent: once. */
  readonly onRetry?: (reason: string) => void;
}

/** Rejects with STORAGE if Redis cannot be reached. */
export async function openRedisBackend({ address, onRetry, ...options }: RedisAddressed): Promise<Backend> {
  const link = onRetry ? await reachRedis(address, { onRetry }) : await openLink(address);
  const backend = createRedisBackend({ ...options, link });
  const close = async (): Promise<void> => {
    await backend.close();
    await link.close();
  };
  return { ...backend, close };
}

/** The link is the caller's, also after `close`. */
export function createRedisBackend(options: RedisBackendOptions): Backend {
  const { link, legion, redactor, indexes } = options;
  const place = { link, legion };
  const reader = createRedisReader(place, options.digests);
  const memories = createRedisMemories({ ...place, redactor, indexes });
  return {
    reader,
    memories,
    nodes: createRedisNodes(place),
    foreign: "refused",
    async openNode(order, surroundings) {
      const durability = options.durability ?? (await persistenceOf(link, options));
      return openRedisNode({ ...order, redis: { ...options, memories, durability } }, surroundings);
    },
    openStore: ({ clock }) => openRedisStore({ ...place, role: "command", clock, redactor, memories }),
    follow: (agent, following) => followInRedis({ ...place, reader }, agent, following),
    patiently: (read, patience) => readThrough(link, read, patience),
    source: (copying) => createRedisSource(place, copying),
    receive: (arrival, unfold) => receiveInRedis(place, arrival, unfold),
    close: memories.close,
  };
}

/** Throws REFUSED if it can lose what it is given and nobody allowed that. */
async function persistenceOf(
  link: Link,
  { volatile = "refuse", onWarning }: RedisBackendOptions,
): Promise<Persistence> {
  const findings = await examine(link);
  const [worst] = findings.filter(({ severity }) => severity === "refuse");
  if (worst && volatile === "refuse") {
    const way = "--allow-volatile starts all the same; `legion doctor` tells more";
    throw new LegionError("REFUSED", `${describe(worst)}\n  ${way}`);
  }
  for (const finding of findings) onWarning?.(describe(finding));
  return durabilityOf(link, findings);
}

function describe({ text, remedy }: Finding): string {
  return `Redis at ${text}. To mend it, ${remedy}.`;
}
