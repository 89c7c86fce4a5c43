// A legion in Redis: what a person says goes straight into it; what they order goes to the nodes that run the agents, and
// where none does, the command has the right to run them for a moment.

import { setTimeout as delay } from "node:timers/promises";
import { createClock } from "../../base/clock.ts";
import { parseDeadLetterId } from "../../past/dead-letters.ts";
import { LegionError } from "../../base/errors.ts";
import { CONTROL } from "../../domain/message.ts";
import { readNodes, type NodeRecord } from "../../storage/redis/cluster/members.ts";
import { setStopped } from "../../storage/redis/cluster/directory.ts";
import { openRedisStore, type RedisStore } from "../../storage/redis/store.ts";
import { ROUTES, type Obeyed, type Order } from "../api/routes.ts";
import { resolveKnown } from "../api/targets.ts";
import { canBeAborted } from "../../legion/status.ts";
import { byOwnHand, type OwnHand } from "../api/direct-writer.ts";
import { readWhereabouts } from "./lease-holders.ts";
import type { Ended, Reach, RedisReach } from "../api/reach.ts";
import { openRedisClient, type RedisClient } from "./client.ts";
import { statusInRedis } from "./status.ts";
import { spread } from "./route.ts";

const ANSWER_MS = 10_000;
const ENDING_MS = 60_000;
const RETRY_MS = 100;

export async function reachInRedis<T>(options: RedisReach, word: (legion: Reach) => Promise<T>): Promise<T> {
  const { link, legion } = options;
  const client = await openRedisClient(link, legion);
  const hand = openHand(options);
  try {
    return await word(createReach({ ...options, client, hand: hand.take }));
  } finally {
    client.close();
    await hand.close();
  }
}

interface Reaching extends RedisReach {
  readonly client: RedisClient;
  readonly hand: () => Promise<OwnHand>;
}

function createReach(reaching: Reaching): Reach {
  const { reader, link, legion, client, hand } = reaching;
  return {
    status: (agents) => statusInRedis({ reader, link, legion, client }, agents),
    async say(said) {
      if (said.delivery !== "abort") return (await hand()).say(said);
      // Left in a mailbox, it would stop what the agent does at some later start.
      const named = resolveKnown(said.targets, await reader.known());
      const { agents, nodes } = await statusInRedis({ reader, link, legion, client }, named);
      if (nodes.length === 0) throw nothingTo("abort");
      const targets = agents.filter(canBeAborted).map(({ id }) => id);
      return targets.length === 0 ? [] : (await hand()).say({ ...said, targets });
    },
    order: (order) => obey(order, reaching),
    resend: (dead) =>
      spread(reaching, dead, {
        agentOf: (id) => parseDeadLetterId(id)?.agent ?? CONTROL,
        ask: async (node, letters) => (await node.resend({ dead: letters })).letters,
        alone: async (letter) => (await (await hand()).resend([letter]))[0]!,
      }),
    async fork(order) {
      const [answer] = await spread(reaching, [order.agent], {
        agentOf: (agent) => agent,
        ask: async (node) => [await node.fork(order)],
        alone: async () => (await hand()).fork(order),
      });
      return answer!;
    },
    end: () => endNodes(reaching),
  };
}

async function obey({ order, targets }: Order, reaching: Reaching): Promise<readonly Obeyed[]> {
  const { reader, link, legion, hand } = reaching;
  const named = resolveKnown(targets, await reader.known());
  const whereabouts = await readWhereabouts(reaching, named);
  // Those that a person stopped are told by name alone.
  const ids = targets === "all" ? named.filter((id) => !whereabouts.of(id).isStopped) : named;
  // From now on nobody takes them any more.
  if (order === "stop") await Promise.all(ids.map((agent) => setStopped({ link, legion, agent })));
  return spread(reaching, ids, {
    agentOf: (id) => id,
    ask: async (node, agents) => (await node.order({ order, targets: agents })).agents,
    async alone(id) {
      if (order === "stop") return { id, outcome: whereabouts.of(id).isStopped ? "already" : "done" };
      return (await (await hand()).order({ order, targets: [id] }))[0]!;
    },
  });
}

async function endNodes({ link, legion, client }: Reaching): Promise<readonly Ended[]> {
  const nodes = await readNodes({ link, legion });
  if (nodes.length === 0) throw nothingTo("stop");
  const deadline = Date.now() + ENDING_MS;
  await Promise.all(
    nodes.map(({ id }) => client.ask(id, { path: ROUTES.stop.path, body: {}, patienceMs: ANSWER_MS })),
  );
  for (;;) {
    const there = new Set((await readNodes({ link, legion })).map(({ id }) => id));
    const isLate = ({ id }: NodeRecord): boolean => there.has(id) && !client.silent.has(id);
    if (!nodes.some(isLate) || Date.now() > deadline) {
      return nodes.map((node) => {
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
function openHand({ link, legion }: RedisReach) {
  const clock = createClock();
  let opening: Promise<RedisStore> | undefined;
  return {
    async take(): Promise<OwnHand> {
      opening ??= openRedisStore({ link, legion, role: "command", clock });
      return byOwnHand({ store: await opening, clock });
    },
    async close(): Promise<void> {
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}
