// The page of a legion and what it asks, on a port of this machine.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { Hono } from "hono";
import { LegionError, messageOf } from "../../base/errors.ts";
import { BASE, mountRoutes, refuse, refuseUnknown } from "../api/http.ts";
import { MAX_BODY_BYTES, tooLong } from "../api/refusal.ts";
import { createReadingApp, type ReadingApp } from "../reading/app.ts";
import type { WatchedLegion } from "../reading/watched.ts";
import { refusalFor, type DashboardDoor, type DoorRefusal } from "./guard.ts";
import type { PersonFolder } from "../../storage/folder/person/folder.ts";
import { createScrape, isScrape } from "./scrape.ts";
import { readPageFiles, SAFE_HEADERS, type PageFile } from "./page-files.ts";
import { createPersonService } from "./service.ts";

const HOST = "127.0.0.1";
const TOKEN_BYTES = 32;
const MAX_CONNECTIONS = 256;
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
const CLOSING_MS = 1_000;

export interface DashboardOrder extends Pick<DashboardDoor, "hosts" | "access"> {
  /** 0: any that is free. */
  readonly port: number;
  /** Where the token for metrics is kept. */
  readonly person: Pick<PersonFolder, "read">;
}

export interface Dashboard {
  /** With the token in its fragment, which browsers send to nobody. */
  readonly url: string;
  close(): Promise<void>;
}

/** Rejects with REFUSED where the port is taken, or the page was not built. */
export async function serveDashboard(watched: WatchedLegion, order: DashboardOrder): Promise<Dashboard> {
  const { getRequestListener } = await import("@hono/node-server");
  const files = await readPageFiles();
  const token = randomBytes(TOKEN_BYTES).toString("hex");
  const reading = await createReadingApp(watched);
  const app = await createApp(watched, reading);
  const answer = getRequestListener(app.fetch);
  const door = { ...order, token };
  const scrape = createScrape(watched, door, order.person);
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
    if (isScrape(request)) return void scrape.answer(request, response).then(refuseAtDoor(response));
    const file = files.get(request.url ?? "");
    const refusal = refusalFor(request, door, file ? "page" : "api");
    if (refusal) return refuseAtDoor(response)(refusal);
    if (file) return showFile(response, file);
    void answer(request, response);
  });
  await listen(server, order.port);
  door.port = (server.address() as { readonly port: number }).port;
  return {
    url: `http://${HOST}:${door.port}/#token=${token}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      reading.close();
      scrape.close();
      server.closeIdleConnections();
      const impatience = setTimeout(() => server.closeAllConnections(), CLOSING_MS);
      await closed;
      clearTimeout(impatience);
    },
  };
}

async function createApp(watched: WatchedLegion, reading: ReadingApp): Promise<Hono> {
  const { Hono } = await import("hono");
  const { bodyLimit } = await import("hono/body-limit");
  const app = new Hono();
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES, onError: () => refuse(tooLong()) }));
  mountRoutes(app, createPersonService(watched), [BASE]);
  app.route("/", reading.app);
  app.notFound(refuseUnknown);
  app.onError(refuse);
  return app;
}

function refuseAtDoor(response: ServerResponse): (refusal: DoorRefusal | undefined) => void {
  return (refusal) => {
    if (!refusal) return;
    const { status, message } = refusal;
    const authenticate = status === 401 ? { "www-authenticate": "Bearer" } : {};
    response.writeHead(status, { "content-type": "application/json", connection: "close", ...authenticate });
    response.end(JSON.stringify({ error: { code: "REFUSED", message } }));
  };
}

function showFile(response: ServerResponse, { type, body }: PageFile): void {
  response.writeHead(200, { "content-type": type, "content-length": body.length });
  Readable.from([body]).pipe(response);
}

async function listen(server: Server, port: number): Promise<void> {
  server.maxConnections = MAX_CONNECTIONS;
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  const listening = once(server, "listening");
  server.listen(port, HOST);
  await listening.catch((error: unknown) => {
    throw new LegionError("REFUSED", `port ${port}: ${messageOf(error)}`, { cause: error });
  });
}
