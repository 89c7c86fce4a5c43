// A legion that several nodes share: what a person says goes straight into it; what they order goes to the nodes that run the agents, and
// where none does, the command has the right to run them for a moment.

import { setTimeout as delay } from "node:timers/promises";
import { createClock } from "../../base/clock.ts";
import { parseDeadLetterId } from "../../past/mail/dead-letters.ts";
import { LegionError, isLegionError } from "../../base/errors.ts";
import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import type { NodeRecord, Nodes } from "../../storage/contract/nodes.ts";
import { legionPaths } from "../../storage/folder/paths.ts";
import type { Store } from "../../storage/contract/store.ts";
import type { Limited, LimitsAnswer, LimitsOrder, NodeApi, Obeyed, Order } from "../api/routes.ts";
import { resolveKnown } from "../api/orders.ts";
import { canBeAborted } from "../../legion/status.ts";
import { createDirectWriter, type DirectWriter } from "../api/direct-writer.ts";
import { findNode } from "../socket/client.ts";
import type { EndedNode, LegionClient, LegionSite } from "../api/legion-client.ts";
import { noAnswer, nodeClient, openNodesClient, unlessLocked, type NodesClient } from "./client.ts";
import { statusOfAll } from "./status.ts";

const ANSWER_MS = 10_000;
/** The right of a dead process to run agents runs out before. */
const PATIENCE_MS = 15_000;
const ENDING_MS = 60_000;
const RETRY_MS = 100;

export async function withNodes<T>(
  options: SharedSite,
  use: (legion: LegionClient) => Promise<T>,
): Promise<T> {
  const client = await openNodesClient(options.nodes);
  const writer = openDirectWriter(options);
  try {
    return await use(createSharedClient({ ...options, client, writer: writer.take }));
  } finally {
    client.close();
    await writer.close();
  }
}

interface SharedSite extends LegionSite {
  readonly nodes: Nodes;
}

interface Connected extends SharedSite {
  readonly client: NodesClient;
  readonly writer: () => Promise<DirectWriter>;
}

function createSharedClient(shared: Connected): LegionClient {
  const { backend, nodes, client, writer } = shared;
  const { reader } = backend;
  const sources = { reader, nodes, client };
  return {
    status: (agents) => statusOfAll(sources, agents),
    async say(said) {
      if (said.delivery !== "abort") return (await writer()).say(said);
      // Left in a mailbox, it would stop what the agent does at some later start.
      const named = resolveKnown(said.targets, await reader.known());
      const { agents, nodes: running } = await statusOfAll(sources, named);
      if (running.length === 0) throw nothingTo("abort");
      const targets = agents.filter(canBeAborted).map(({ id }) => id);
      return targets.length === 0 ? [] : (await writer()).say({ ...said, targets });
    },
    relay: async (said) => (await writer()).relay(said),
    answer: async (answered) => (await writer()).answer(answered),
    mode: async (order) => (await writer()).mode(order),
    limits: (order) => (order.targets === undefined ? limitAll(order, shared) : limit(order, shared)),
    order: (order) => obey(order, shared),
    resend: (dead) =>
      askHolders(shared, dead, {
        agentOf: (id) => parseDeadLetterId(id)?.agent ?? CONTROL,
        ask: async (node, letters) => (await node.resend({ dead: letters })).letters,
        alone: async (letter) => (await (await writer()).resend([letter]))[0]!,
      }),
    async fork(order) {
      const [answer] = await askHolders(shared, [order.agent], {
        agentOf: (agent) => agent,
        ask: async (node) => [await node.fork(order)],
        alone: async () => (await writer()).fork(order),
      });
      return answer!;
    },
    async undo(order) {
      // The files are here, and so is the node that works on them, if there is one.
      const node = await findNode(legionPaths(shared.project, shared.home).socket);
      const { undoHere } = await import("../api/undo-here.ts");
      return node ? node.undo(order) : { outcome: "done", ...(await undoHere(shared, order.what)) };
    },
    end: () => endNodes(shared),
  };
}

async function obey({ order, targets }: Order, shared: Connected): Promise<readonly Obeyed[]> {
  const { backend, nodes, writer } = shared;
  const named = resolveKnown(targets, await backend.reader.known());
  const whereabouts = await nodes.whereabouts(named);
  // Those that a person stopped are told by name alone.
  const ids = targets === "all" ? named.filter((id) => !whereabouts.of(id).isStopped) : named;
  // From now on nobody takes them any more.
  if (order === "stop") await Promise.all(ids.map(nodes.bar));
  return askHolders(shared, ids, {
    agentOf: (id) => id,
    ask: async (node, agents) => (await node.order({ order, targets: agents })).agents,
    async alone(id) {
      if (order === "stop") return { id, outcome: whereabouts.of(id).isStopped ? "already" : "done" };
      return (await (await writer()).order({ order, targets: [id] }))[0]!;
    },
  });
}

async function limit({ targets = [], limits }: LimitsOrder, shared: Connected): Promise<LimitsAnswer> {
  const { backend, writer } = shared;
  const agents = await askHolders<Limited>(shared, resolveKnown(targets, await backend.reader.known()), {
    agentOf: (id) => id,
    ask: async (node, ids) => (await node.limits({ targets: ids, limits })).agents,
    alone: async (id) => (await (await writer()).limits({ targets: [id], limits })).agents[0]!,
  });
  return { agents, legion: null };
}

/** Each node tells its agents; the limits themselves are one for all of them. */
async function limitAll(order: LimitsOrder, { nodes, client, writer }: Connected): Promise<LimitsAnswer> {
  const running = await nodes.list();
  if (running.length === 0) return (await writer()).limits(order);
  const answers = await Promise.all(
    running.map(({ id }) => unlessLocked(nodeClient(client, id, ANSWER_MS).limits(order))),
  );
  const heard = answers.find((answer) => answer !== undefined);
  if (!heard) throw noAnswer(running[0]!.id);
  return heard;
}

async function endNodes({ nodes, client }: Connected): Promise<readonly EndedNode[]> {
  const running = await nodes.list();
  if (running.length === 0) throw nothingTo("stop");
  const deadline = Date.now() + ENDING_MS;
  // One that does not answer is known to be silent.
  await Promise.all(running.map(({ id }) => unlessLocked(nodeClient(client, id, ANSWER_MS).stop({}))));
  for (;;) {
    const there = new Set((await nodes.list()).map(({ id }) => id));
    const isLate = ({ id }: NodeRecord): boolean => there.has(id) && !client.silent.has(id);
    if (!running.some(isLate) || Date.now() > deadline) {
      return running.map((node) => {
        const outcome = isLate(node) ? "late" : client.silent.has(node.id) ? "silent" : "ended";
        return { node: node.name, outcome };
      });
    }
    await delay(RETRY_MS);
  }
}

function nothingTo(act: string): LegionError {
  return new LegionError("REFUSED", `no node runs this legion: there is nothing to ${act}`);
}

/** What the command writes itself; opened when it is needed. */
function openDirectWriter({ backend, config: { durability } }: LegionSite) {
  const clock = createClock();
  let opening: Promise<Store> | undefined;
  return {
    async take(): Promise<DirectWriter> {
      opening ??= backend.openStore({ durability, clock });
      return createDirectWriter(await opening, clock);
    },
    async close(): Promise<void> {
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

/** How something is done with items, each of which is about one agent. */
export interface HolderTask<R> {
  agentOf(item: string): AgentId;
  /** Has the node that runs their agents do `items`; one result for each, in their order. */
  ask(node: NodeApi, items: readonly string[]): Promise<readonly R[]>;
  /** Does `item`, whose agent nobody runs. */
  alone(item: string): Promise<R>;
}

/**
 * Does each of `items`, which are all different; results in their order. Whoever has the right to run an agent is asked; where
 * nobody has it, the command takes it for as long as it needs. Agents move meanwhile: what is not done because of that is
 * tried with the next one who has the right. Rejects with what refuses one of them, and with
 * LOCKED if somebody who runs an agent does not answer: they may yet do what was asked.
 */
export async function askHolders<R>(
  { nodes, client }: Pick<Connected, "nodes" | "client">,
  items: readonly string[],
  { agentOf, ask, alone }: HolderTask<R>,
): Promise<readonly R[]> {
  const done = new Map<string, R>();
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const open = items.filter((item) => !done.has(item));
    const whereabouts = await nodes.whereabouts(open.map(agentOf));
    const holderOf = (item: string): string | undefined => whereabouts.of(agentOf(item)).holder;
    /** Resolves with what keeps the items of `holder` from being done at this moment, if something does. */
    const attempt = async (holder: string | undefined): Promise<LegionError | undefined> => {
      const group = open.filter((item) => holderOf(item) === holder);
      try {
        if (holder === undefined) for (const item of group) done.set(item, await alone(item));
        else if (!whereabouts.nodes.has(holder) || client.silent.has(holder)) return noAnswer(holder);
        else {
          const results = await ask(nodeClient(client, holder, ANSWER_MS), group);
          group.forEach((item, index) => done.set(item, results[index]!));
        }
        return undefined;
      } catch (error) {
        if (isLegionError(error, "LOCKED")) return error;
        throw error;
      }
    };
    const attempts = [...new Set(open.map(holderOf))].map(attempt);
    // Whatever fails, the others are done first.
    await Promise.allSettled(attempts);
    const obstacles = await Promise.all(attempts);
    if (done.size === items.length) return items.map((item) => done.get(item)!);
    if (performance.now() > deadlineMs) throw obstacles.find((obstacle) => obstacle !== undefined)!;
    await delay(RETRY_MS);
  }
}
