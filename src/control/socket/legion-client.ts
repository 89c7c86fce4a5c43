// A legion that one process at a time opens: its word goes through the node that runs it, or, while none does, straight into
// the place where it is kept.

import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { createClock } from "../../base/clock.ts";
import { LegionError, isLegionError } from "../../base/errors.ts";
import { createDisk } from "../../base/files/disk.ts";
import { legionPaths, type LegionPaths } from "../../storage/folder/paths.ts";
import { inUse, lockHolder } from "../../storage/folder/lock.ts";
import { findNode, type NodeClient } from "./client.ts";
import { overviewOf } from "./overview.ts";
import { createDirectWriter, type DirectWriter } from "../api/direct-writer.ts";
import type { EndedNode, LegionClient, LegionSite } from "../api/legion-client.ts";

/** How long a node that is starting may take until it can be talked to. */
const STARTING_MS = 5_000;
const RETRY_MS = 100;
const ENDING_MS = 60_000;

export async function withOneNode<T>(
  options: LegionSite,
  use: (legion: LegionClient) => Promise<T>,
): Promise<T> {
  const deadline = Date.now() + STARTING_MS;
  const { socket } = legionPaths(options.project, options.home);
  for (;;) {
    const node = await findNode(socket);
    try {
      return await use(node ? throughNode(node, options) : byHand(options));
    } catch (error) {
      if (node || !isLegionError(error, "LOCKED") || Date.now() >= deadline) throw error;
      await delay(RETRY_MS);
    }
  }
}

function throughNode(node: NodeClient, { project, home, backend }: LegionSite): LegionClient {
  return {
    status: async (agents) => overviewOf(backend.reader, await node.status({}), agents),
    say: async (said) => (await node.say(said)).ids,
    relay: node.relay,
    answer: async (answered) => (await node.answer(answered)).id,
    mode: async (order) => (await node.mode(order)).ids,
    limits: node.limits,
    order: async (order) => (await node.order(order)).agents,
    resend: async (dead) => (await node.resend({ dead })).letters,
    fork: node.fork,
    undo: node.undo,
    end: async () => [await endNode(node, legionPaths(project, home))],
  };
}

/** Each method that writes has the legion alone for its own time. */
function byHand(site: LegionSite): LegionClient {
  const { backend, config } = site;
  const { durability } = config;
  const paths = legionPaths(site.project, site.home);
  const { unfinishedUndo } = paths;
  const clock = createClock();
  const write = async <T>(use: (writer: DirectWriter) => Promise<T>): Promise<T> => {
    const store = await backend.openStore({ durability, clock });
    try {
      if (existsSync(unfinishedUndo)) await (await import("../api/undo-here.ts")).finishHere(site, store);
      const made = await use(createDirectWriter(store, clock));
      await store.deliverForOthers();
      return made;
    } finally {
      await store.close();
    }
  };
  return {
    status: (agents) => overviewOf(backend.reader, { agents: [], servers: [], limits: null }, agents),
    async say(said) {
      // Left in a mailbox, it would stop what the agent does at some later start.
      if (said.delivery === "abort") throw await nothingTo("abort", paths);
      return write((writer) => writer.say(said));
    },
    relay: (said) => write((writer) => writer.relay(said)),
    answer: (answered) => write((writer) => writer.answer(answered)),
    mode: (order) => write((writer) => writer.mode(order)),
    limits: (order) => write((writer) => writer.limits(order)),
    async order({ order, targets }) {
      if (order === "stop") throw await nothingTo("stop", paths);
      return write((writer) => writer.order({ order, targets }));
    },
    resend: (dead) => write((writer) => writer.resend(dead)),
    fork: (order) => write((writer) => writer.fork(order)),
    undo: async ({ what }) => ({
      outcome: "done",
      ...(await (await import("../api/undo-here.ts")).undoHere(site, what)),
    }),
    end: async () => Promise.reject(await nothingTo("stop", paths)),
  };
}

/** A node that has just started works already, and listens in a moment. */
async function nothingTo(act: string, { lock, tmp }: LegionPaths): Promise<LegionError> {
  const holder = await lockHolder(lock, createDisk(tmp));
  if (holder?.role === "node") return inUse(holder);
  return new LegionError("REFUSED", `no node runs here: there is nothing to ${act}`);
}

async function endNode(node: NodeClient, paths: LegionPaths): Promise<EndedNode> {
  const disk = createDisk(paths.tmp);
  const pidOfHolder = async (): Promise<number> => (await lockHolder(paths.lock, disk))?.pid ?? 0;
  const pid = await pidOfHolder();
  const deadline = Date.now() + ENDING_MS;
  await node.stop({});
  while ((await pidOfHolder()) === pid && pid !== 0) {
    if (Date.now() > deadline) return { node: String(pid), outcome: "late" };
    await delay(RETRY_MS);
  }
  return { node: String(pid), outcome: "ended" };
}
