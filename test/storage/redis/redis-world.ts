// Real nodes of one legion in a real Redis, each with a folder of its own. Only the models are scripted.

import { onTestFinished } from "vitest";
import type { AgentId } from "../../../src/domain/message/message.ts";
import { parseRedisAddress } from "../../../src/storage/redis/connection/address.ts";
import { openLink, type Link } from "../../../src/storage/redis/connection/link.ts";
import { createRedisBackend } from "../../../src/storage/redis/backend.ts";
import type { RedisHome } from "../../../src/storage/redis/node/node.ts";
import { openWorld, temporaryFolder, type World, type WorldAgent, type WorldOptions } from "../../world.ts";

export interface NodeOptions extends Omit<WorldOptions, "home"> {
  readonly home?: Partial<RedisHome>;
  /** A folder of an earlier node; a new one if absent. */
  readonly project?: string;
}

export interface RedisNode extends World {
  readonly link: Link;
  readonly troubles: readonly string[];
}

export const LEASE_MS = 600;

/** Joins the legion `name` until the test is over. */
export async function openNode(
  url: string,
  name: string,
  agents: Readonly<Record<AgentId, WorldAgent>>,
  options: NodeOptions = {},
): Promise<RedisNode> {
  const { home, project, ...rest } = options;
  const link = await openLink(parseRedisAddress(url));
  onTestFinished(() => link.close());
  const troubles: string[] = [];
  const world = await openWorld(project ?? (await temporaryFolder()), agents, {
    ...rest,
    backend: createRedisBackend({
      link,
      legion: name,
      durability: "always",
      leaseMs: LEASE_MS,
      onTrouble: (text) => troubles.push(text),
      ...home,
    }),
  });
  return { ...world, link, troubles };
}
