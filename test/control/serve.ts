// A legion that is served over its control socket.

import { request } from "node:http";
import { onTestFinished } from "vitest";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { findNode, type NodeClient } from "../../src/control/socket/client.ts";
import { watchLegion } from "../../src/control/reading/watched.ts";
import { createService } from "../../src/control/service.ts";
import { serveOverSocket } from "../../src/control/socket/server.ts";
import { createFileBackend } from "../../src/storage/files/backend.ts";
import { described, expectDescribed } from "./described.ts";
import type { World } from "../world.ts";

export interface Served {
  readonly socket: string;
  readonly node: NodeClient;
  /** Resolves when the node was asked to end. */
  readonly asked: Promise<void>;
  close(): Promise<void>;
}

export async function serve(world: World): Promise<Served> {
  const { socket } = legionPaths(world.project);
  let ask = (): void => undefined;
  const asked = new Promise<void>((resolve) => (ask = resolve));
  const { legion } = world;
  const service = described(createService({ legion, onStop: ask }));
  const backend = createFileBackend(world.project);
  const site = { project: world.project, backend, config: { durability: "process" } } as const;
  const watched = watchLegion(site, 3_600_000);
  const server = await serveOverSocket({ service, inspector: legion.inspector, watched }, socket);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= server.close());
  onTestFinished(close);
  return { socket, node: (await findNode(socket))!, asked, close };
}

/** A request as any program may write it. */
export function ask(
  socketPath: string,
  { method = "POST", path = "/say", type = "application/json", body = "" },
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { socketPath, method, path, headers: { "content-type": type }, agent: false },
      (response) => {
        let text = "";
        response.on("data", (chunk) => (text += chunk));
        response.on("end", () => {
          const status = response.statusCode ?? 0;
          if (path !== "/v1/openapi.json") expectDescribed({ method, path, status, text });
          resolve({ status, text });
        });
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}
