import type { ControlServer } from "../../../control/api/serve.ts";
import { createService } from "../../../control/service.ts";
import { serveOverSocket } from "../../../control/socket/server.ts";
import { legionPaths } from "../../../storage/folder/paths.ts";
import type { OpenedLegion } from "./open-legion.ts";

/** Lets other terminals in, and over Redis other machines; one of them may call for `onStop`. */
export async function serveLegion(
  { legion, backend: { nodes } }: OpenedLegion,
  project: string,
  onStop: () => void,
): Promise<ControlServer> {
  const service = createService({ legion, onStop });
  const server = await serveOverSocket({ service, inspector: legion.inspector }, legionPaths(project).socket);
  if (!nodes || legion.node === undefined) return server;
  const { serveOverNodes } = await import("../../../control/nodes/server.ts");
  const orders = await serveOverNodes({ nodes, node: legion.node, service });
  return {
    async close() {
      await orders.close();
      await server.close();
    },
  };
}
