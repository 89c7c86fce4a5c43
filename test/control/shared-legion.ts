// A legion that several nodes share over Redis, and that commands reach from machines of their own.

import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import type { NoticeEvent } from "../../src/domain/event/notice.ts";
import type { AgentId } from "../../src/domain/message/message.ts";
import { createRedisBackend } from "../../src/storage/redis/backend.ts";
import { createRedisNodes } from "../../src/storage/redis/node/nodes.ts";
import { createRedisReader } from "../../src/storage/redis/reader/reader.ts";
import type { Link } from "../../src/storage/redis/connection/link.ts";
import { createService } from "../../src/control/service.ts";
import type { LegionClient } from "../../src/control/api/legion-client.ts";
import { serveOverNodes } from "../../src/control/nodes/server.ts";
import { openTestLink } from "../storage/redis/members.ts";
import { openNode, type NodeOptions, type RedisNode } from "../storage/redis/redis-world.ts";
import { described } from "./described.ts";
import type { WorldAgent } from "../world.ts";
import { withLegion } from "../../src/control/open.ts";

export interface SharedLegion {
  readonly link: Link;
  readonly legion: string;
  /** As a command that is typed somewhere. */
  tell<T>(use: (legion: LegionClient) => Promise<T>): Promise<T>;
  join(agents: Readonly<Record<AgentId, WorldAgent>>, options?: NodeOptions): Promise<SharedNode>;
  /** The reasons of the notices in an agent's log. */
  notices(agent: AgentId): Promise<readonly NoticeEvent["reason"][]>;
}

export interface SharedNode extends RedisNode {
  readonly id: string;
  /** It hears no orders any more. */
  fallSilent(): Promise<void>;
}

export async function found(url: string): Promise<SharedLegion> {
  const legion = `legion-${randomUUID()}`;
  const link = await openTestLink(url);
  return {
    link,
    legion,
    async tell(use) {
      const own = await openTestLink(url);
      const backend = createRedisBackend({ link: own, legion });
      return withLegion({ project: "", backend, config: { durability: "disk" } }, use);
    },
    async join(agents, options) {
      const node = await openNode(url, legion, agents, options);
      const id = node.legion.node!;
      const service = described(createService({ legion: node.legion, onStop: () => void node.stop() }));
      const orders = await serveOverNodes({
        nodes: createRedisNodes({ link: node.link, legion }),
        node: id,
        service,
      });
      onTestFinished(orders.close);
      return { ...node, id, fallSilent: orders.close };
    },
    async notices(agent) {
      const reasons: NoticeEvent["reason"][] = [];
      for await (const event of createRedisReader({ link, legion }).events(agent))
        if (event.kind === "notice") reasons.push(event.reason);
      return reasons;
    },
  };
}
