// A running legion, open to everybody who may talk to it.

import type { AgentId } from "../domain/message/message.ts";
import type { OpenedLegion } from "../legion/opening/open-node.ts";
import type { ControlServer } from "./api/serve.ts";
import type { NodeApi } from "./api/routes.ts";
import type { WatchedLegion } from "./reading/watched.ts";
import { createService, type ServiceOptions } from "./service.ts";
import { serveOverSocket } from "./socket/server.ts";

export interface LegionDoor extends Omit<ServiceOptions, "legion"> {
  /** Makes of the node what is read of its legion; absent: nothing is read. */
  readonly watch?: (own: NodeApi) => WatchedLegion;
}

export interface ServedLegion extends ControlServer {
  readonly watched?: WatchedLegion;
}

/**
 * Lets other terminals in, and over Redis other machines; one of them may call for `onStop`. Call it while this process holds
 * the lock beside `socket`.
 */
export async function serveLegion(
  { legion, backend: { nodes } }: Pick<OpenedLegion, "legion" | "backend">,
  socket: string,
  { onStop, spawner, watch }: LegionDoor,
): Promise<ServedLegion> {
  const service = createService({ legion, onStop, spawner });
  const watched = watch?.(service);
  const server = await serveOverSocket({ service, inspector: legion.inspector, watched }, socket);
  if (!nodes || legion.node === undefined) return { ...server, watched };
  const { serveOverNodes } = await import("./nodes/server.ts");
  const { tellLive } = await import("./nodes/live.ts");
  const orders = await serveOverNodes({ nodes, node: legion.node, service });
  const runs = (agent: AgentId): boolean => legion.agents.has(agent);
  const hush = await tellLive({ nodes, inspector: legion.inspector, runs });
  return {
    watched,
    async close() {
      hush();
      await orders.close();
      await server.close();
    },
  };
}
