// The control API of a running node: HTTP over a Unix socket that only its user may open. Whoever can connect speaks as
// the person.

import type { Server } from "node:http";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Context, Hono } from "hono";
import { LegionError, isLegionError, messageOf, type ErrorCode } from "../errors.ts";
import type { ForkOrder } from "../fork.ts";
import type { Legion } from "../legion.ts";
import { liveStatus } from "../status.ts";
import type { Supervised } from "../supervisor.ts";
import {
  MAX_BODY_BYTES,
  PAUSED,
  changesNothing,
  listIds,
  readDead,
  readForkOrder,
  readOrder,
  readSaid,
  resentOf,
  resolveKnown,
  type ForkAnswer,
  type Obeyed,
  type Order,
  type Refusal,
  type Resent,
  type Said,
} from "./control-api.ts";
import { createFeed, type Feed } from "./feed.ts";
import { claimSocket } from "./socket-path.ts";

/** An order that a long step keeps waiting is answered with `soon` after this time. */
const PATIENCE_MS = 2_000;
const CLOSING_MS = 1_000;

export interface ControlServer {
  close(): Promise<void>;
}

/**
 * Listens at `socketPath`, in place of whatever a dead node left there. Call it while this process holds the project's
 * lock. `onStop` is called when the person wants the node to end; by default the process gets SIGTERM.
 */
export async function serveControl(
  legion: Legion,
  socketPath: string,
  onStop: () => void = () => process.kill(process.pid, "SIGTERM"),
): Promise<ControlServer> {
  const { createAdaptorServer } = await import("@hono/node-server");
  const feed = createFeed(legion.inspector);
  const app = await createApp({ legion, feed, onStop });
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

interface Served {
  readonly legion: Legion;
  readonly feed: Feed;
  readonly onStop: () => void;
}

async function createApp({ legion, feed, onStop }: Served): Promise<Hono> {
  const { Hono } = await import("hono");
  const { bodyLimit } = await import("hono/body-limit");
  const node = `${process.pid}@${hostname()}`;
  const app = new Hono();
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES, onError: () => refuse(tooLong()) }));
  app.get("/status", (c) =>
    c.json({ agents: [...legion.agents].map(([id, supervised]) => liveStatus(id, supervised, node)) }),
  );
  app.get("/events", (c) => feed.follow(c.req.query("agent")));
  app.post("/say", async (c) => c.json({ ids: await say(legion, readSaid(await readBody(c))) }));
  app.post("/order", async (c) => c.json({ agents: await obey(legion, readOrder(await readBody(c))) }));
  app.post("/resend", async (c) => c.json({ letters: await resend(legion, readDead(await readBody(c))) }));
  app.post("/fork", async (c) => c.json(await fork(legion, readForkOrder(await readBody(c)))));
  app.post("/stop", (c) => {
    setImmediate(onStop);
    return c.json({ node });
  });
  app.notFound((c) => refuse(new LegionError("USAGE", `there is no ${c.req.method} ${c.req.path}`)));
  app.onError(refuse);
  return app;
}

async function readBody(c: Context): Promise<unknown> {
  if (!c.req.header("content-type")?.startsWith("application/json")) {
    throw new LegionError("USAGE", "expected content-type: application/json");
  }
  try {
    return await c.req.json();
  } catch (error) {
    throw new LegionError("USAGE", `not valid JSON: ${messageOf(error)}`, { cause: error });
  }
}

function tooLong(): LegionError {
  return new LegionError("USAGE", `a request may have ${MAX_BODY_BYTES} bytes`);
}

const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = { USAGE: 400, REFUSED: 409, LOCKED: 409 };

function refuse(error: unknown): Response {
  const code = isLegionError(error) ? error.code : "REFUSED";
  const body: Refusal = { error: { code, message: messageOf(error) } };
  return Response.json(body, { status: isLegionError(error) ? (STATUS[code] ?? 500) : 500 });
}

async function say(legion: Legion, { targets, content, delivery }: Said): Promise<readonly string[]> {
  const known = (await legion.peers()).map(({ id }) => id);
  return legion.control.say(resolveKnown(targets, known), content, delivery);
}

async function obey({ agents, peers }: Legion, { order, targets }: Order): Promise<readonly Obeyed[]> {
  const running = [...agents].filter(([, supervised]) => !isStopped(supervised)).map(([id]) => id);
  const ids =
    targets === "all"
      ? running
      : resolveKnown(
          targets,
          (await peers()).map(({ id }) => id),
        );
  const absent = ids.find((id) => !agents.has(id));
  if (absent !== undefined) {
    throw new LegionError(
      "REFUSED",
      `agent ${absent} does not run on this node; it runs ${listIds(running)}`,
    );
  }
  return Promise.all(ids.map(async (id) => ({ id, outcome: await carryOut(order, agents.get(id)!) })));
}

function isStopped({ standing }: Supervised): boolean {
  return standing.state === "stopped";
}

async function carryOut(order: Order["order"], supervised: Supervised): Promise<Obeyed["outcome"]> {
  const conversation = supervised.agent?.memory.conversation;
  const isVain =
    order === "stop" ? isStopped(supervised) : conversation && changesNothing(order, conversation);
  if (isVain) return "already";
  const obeyed = order === "pause" ? supervised.pause(PAUSED) : supervised[order]();
  return unlessLate(
    obeyed.then(() => "done" as const),
    "soon",
  );
}

function resend(legion: Legion, dead: readonly string[]): Promise<readonly Resent[]> {
  return Promise.all(
    dead.map((id) => unlessLate(resentOf(id, legion.resend(id)), { id, outcome: "soon" as const })),
  );
}

async function fork(legion: Legion, order: ForkOrder): Promise<ForkAnswer> {
  const { to, done } = await legion.fork(order);
  const forked = done.then((facts) => ({ to, outcome: "done" as const, ...facts }));
  // A copy waits for nobody.
  return order.as === undefined ? unlessLate(forked, { to, outcome: "soon" as const }) : forked;
}

/** What `work` comes to, or `late` where that takes long; it goes on all the same. */
async function unlessLate<T, L>(work: Promise<T>, late: L): Promise<T | L> {
  const answered = new AbortController();
  try {
    return await Promise.race([work, delay(PATIENCE_MS, late, { signal: answered.signal })]);
  } finally {
    answered.abort();
  }
}
