// A legion in the files of a project: its word goes through the node that runs it, or, while none does, straight into the
// files.

import { setTimeout as delay } from "node:timers/promises";
import { createClock } from "../../base/clock.ts";
import { LegionError, isLegionError } from "../../base/errors.ts";
import { lockHolder } from "../../storage/folder/lock.ts";
import type { AgentId } from "../../domain/message.ts";
import type { FileReader } from "../../storage/files/reader.ts";
import { byId } from "../../storage/contract/reader.ts";
import type { AgentStatus } from "../../legion/agent-status.ts";
import { storedStatus } from "../../legion/status.ts";
import { openFileStore } from "../../storage/files/store.ts";
import { findNode, type NodeClient } from "./client.ts";
import { byOwnHand, type OwnHand } from "../api/direct-writer.ts";
import type { Ended, FileReach, Overview, Reach } from "../api/reach.ts";

/** How long a node that is starting may take until it can be talked to. */
const STARTING_MS = 5_000;
const RETRY_MS = 100;
const ENDING_MS = 60_000;

export async function reachInFiles<T>(options: FileReach, word: (legion: Reach) => Promise<T>): Promise<T> {
  const deadline = Date.now() + STARTING_MS;
  for (;;) {
    const node = await findNode(options.reader.paths.socket);
    try {
      return await word(node ? throughNode(node, options.reader) : onFiles(options));
    } catch (error) {
      if (node || !isLegionError(error, "LOCKED") || Date.now() >= deadline) throw error;
      await delay(RETRY_MS);
    }
  }
}

function throughNode(node: NodeClient, reader: FileReader): Reach {
  return {
    status: async (agents) => overview(reader, (await node.status({})).agents, agents),
    say: async (said) => (await node.say(said)).ids,
    order: async (order) => (await node.order(order)).agents,
    resend: async (dead) => (await node.resend({ dead })).letters,
    fork: node.fork,
    end: async () => [await endNode(node, reader)],
  };
}

/** Each method that writes takes the project's lock for its own time. */
function onFiles({ reader, config }: FileReach): Reach {
  const { paths } = reader;
  const { durability } = config;
  const clock = createClock();
  const write = async <T>(use: (hand: OwnHand) => Promise<T>): Promise<T> => {
    const hosted = new Set<AgentId>();
    const inspect = (): void => undefined;
    const store = await openFileStore({ paths, role: "command", durability, clock, inspect, hosted });
    try {
      const made = await use(byOwnHand({ store, clock }));
      await store.deliverForOthers();
      return made;
    } finally {
      await store.close();
    }
  };
  return {
    status: (agents) => overview(reader, [], agents),
    async say(said) {
      // Left in a mailbox, it would stop what the agent does at some later start.
      if (said.delivery === "abort") throw nothingTo("abort");
      return write((hand) => hand.say(said));
    },
    async order({ order, targets }) {
      if (order === "stop") throw nothingTo("stop");
      return write((hand) => hand.order({ order, targets }));
    },
    resend: (dead) => write((hand) => hand.resend(dead)),
    fork: (order) => write((hand) => hand.fork(order)),
    end: () => Promise.reject(nothingTo("stop")),
  };
}

function nothingTo(act: string): LegionError {
  return new LegionError("REFUSED", `no node runs here: there is nothing to ${act}`);
}

/** What the node tells of those that it runs, what the files tell of the others. */
async function overview(
  reader: FileReader,
  told: readonly AgentStatus[],
  wanted?: readonly AgentId[],
): Promise<Overview> {
  const live = new Map(told.map((status) => [status.id, status]));
  const agents: AgentStatus[] = [];
  // One that runs in spite of a file in place of its folder is nobody to the files.
  const known = wanted ?? [...new Set([...(await reader.known()), ...live.keys()])].sort(byId);
  for (const id of known) agents.push(live.get(id) ?? (await storedStatus(id, reader)));
  return { agents, nodes: [...new Set(told.flatMap(({ node }) => node ?? []))] };
}

async function endNode(node: NodeClient, { paths, disk }: FileReader): Promise<Ended> {
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
