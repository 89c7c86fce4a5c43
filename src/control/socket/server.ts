// The control API of a running node: HTTP over a Unix socket that only its user may open. Whoever can connect speaks as
// the person.

import type { Server } from "node:http";
import type { Context, Hono } from "hono";
import { LegionError, messageOf } from "../../base/errors.ts";
import type { Inspection, Inspector } from "../../domain/inspection.ts";
import { BASE, mountRoutes, refuse, refuseUnknown } from "../api/http.ts";
import { MAX_BODY_BYTES, tooLong } from "../api/refusal.ts";
import type { NodeApi } from "../api/routes.ts";
import type { ControlServer } from "../api/serve.ts";
import type { ReadingApp } from "../reading/app.ts";
import type { WatchedLegion } from "../reading/watched.ts";
import { claimSocket } from "./socket-path.ts";

const CLOSING_MS = 1_000;

export interface Served {
  readonly service: NodeApi;
  /** What followers are told from. */
  readonly inspector: Inspector;
  /** What can be read of it; absent: nothing. */
  readonly watched?: WatchedLegion;
}

/**
 * Listens at `socketPath`, in place of whatever a dead node left there. Call it while this process holds the project's
 * lock.
 */
export async function serveOverSocket(
  { service, inspector, watched }: Served,
  socketPath: string,
): Promise<ControlServer> {
  const { createAdaptorServer } = await import("@hono/node-server");
  const feed = createFeed(inspector);
  const reading = createReading(watched);
  const app = await createApp(service, feed, reading);
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  const socket = await claimSocket(socketPath);
  try {
    await listen(server, socket.path);
  } catch (error) {
    await socket.release();
    throw error;
  }
  return {
    async close() {
      feed.close();
      reading.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const impatience = setTimeout(() => server.closeAllConnections(), CLOSING_MS);
      await closed;
      clearTimeout(impatience);
      await socket.release();
    },
  };
}

/** Only the user may open the socket, from its first moment on: it is bound before `listen` returns. */
async function listen(server: Server, path: string): Promise<void> {
  const mask = process.umask(0o177);
  const listening = new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  process.umask(mask);
  try {
    await listening;
  } catch (error) {
    throw new LegionError("STORAGE", `${path}: ${messageOf(error)}`, { cause: error });
  }
}

async function createApp(service: NodeApi, feed: Feed, reading: SocketReading): Promise<Hono> {
  const { Hono } = await import("hono");
  const { bodyLimit } = await import("hono/body-limit");
  const app = new Hono();
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES, onError: () => refuse(tooLong()) }));
  app.get("/events", (c) => feed.follow(c.req.query("agent")));
  // For commands of the version before also without it.
  mountRoutes(app, service, [BASE, ""]);
  app.get(`${BASE}/*`, (c) => reading.answer(c));
  app.notFound(refuseUnknown);
  app.onError(refuse);
  return app;
}

type SocketReading = ReturnType<typeof createReading>;

/** Nothing of it is loaded before somebody reads. */
function createReading(watched: WatchedLegion | undefined) {
  let opened: Promise<ReadingApp> | undefined;
  const open = async (known: WatchedLegion): Promise<ReadingApp> =>
    (await import("../reading/app.ts")).createReadingApp(known);
  return {
    async answer(c: Context): Promise<Response> {
      if (!watched) return refuseUnknown(c);
      const { app } = await (opened ??= open(watched));
      return app.fetch(c.req.raw);
    },
    close: (): void => void opened?.then((reading) => reading.close()),
  };
}

const MAX_BEHIND_BYTES = 16 * 1_048_576;

type Feed = ReturnType<typeof createFeed>;

/**
 * What watchers see, one JSON object a line, to any number of followers. One that does not keep up is cut off: it may come
 * back and read what it missed from the disk.
 */
export function createFeed(inspector: Inspector) {
  const followers = new Set<() => void>();
  const encoder = new TextEncoder();
  return {
    /** An endless body; its first line is empty and says that nothing is missed from now on. */
    follow(agent: string | undefined): Response {
      let leave = (): void => undefined;
      const body = new ReadableStream<Uint8Array>(
        {
          start(controller) {
            const write = (inspection: Inspection): void => {
              if (agent !== undefined && inspection.agent !== agent) return;
              controller.enqueue(encoder.encode(`${JSON.stringify(inspection)}\n`));
              if ((controller.desiredSize ?? 0) < 0) end();
            };
            const unwatch = inspector.watch(write);
            leave = () => {
              unwatch();
              followers.delete(end);
            };
            const end = (): void => {
              leave();
              controller.close();
            };
            followers.add(end);
            controller.enqueue(encoder.encode("\n"));
          },
          cancel: () => leave(),
        },
        new ByteLengthQueuingStrategy({ highWaterMark: MAX_BEHIND_BYTES }),
      );
      return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
    },
    /** Ends what every follower reads. */
    close(): void {
      for (const end of [...followers]) end();
    },
  };
}
