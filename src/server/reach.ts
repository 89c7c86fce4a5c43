// How a person's word reaches a legion: through the node that runs it, or, while none does, straight into its files.

import { setTimeout as delay } from "node:timers/promises";
import { createClock } from "../clock.ts";
import { isLegionError } from "../errors.ts";
import { fork } from "../fork.ts";
import type { Durability } from "../log/journal.ts";
import type { AgentId } from "../message.ts";
import type { Reader } from "../reader.ts";
import { resend } from "../resend.ts";
import { openStore, type Store } from "../store.ts";
import { PAUSED, changesNothing, resentOf, resolveKnown, type Obeyed, type Order } from "./control-api.ts";
import { findNode, type NodeClient } from "./control-client.ts";

/** A legion that runs or rests. */
export type Reach = Pick<NodeClient, "say" | "order" | "resend" | "fork">;

export interface ReachOptions {
  readonly reader: Reader;
  readonly durability: Durability;
}

/** How long a node that is starting may take until it can be talked to. */
const STARTING_MS = 5_000;
const RETRY_MS = 100;

/** Has `word` said to the legion. It is said again if it rejects with LOCKED: then nothing of it was heard. */
export async function reach<T>(options: ReachOptions, word: (legion: Reach) => Promise<T>): Promise<T> {
  const deadline = Date.now() + STARTING_MS;
  for (;;) {
    const node = await findNode(options.reader.paths.socket);
    try {
      return await word(node ?? onFiles(options));
    } catch (error) {
      if (node || !isLegionError(error, "LOCKED") || Date.now() >= deadline) throw error;
      await delay(RETRY_MS);
    }
  }
}

/** Each method takes the project's lock for its own time. */
function onFiles({ reader, durability }: ReachOptions): Reach {
  const clock = createClock();
  const withStore = async <T>(use: (store: Store) => Promise<T>): Promise<T> => {
    const { paths } = reader;
    const hosted = new Set<AgentId>();
    const inspect = (): void => undefined;
    const store = await openStore({ paths, role: "command", durability, clock, inspect, hosted });
    try {
      const made = await use(store);
      await store.deliverForOthers();
      return made;
    } finally {
      await store.close();
    }
  };
  return {
    say: ({ targets, content, delivery }) =>
      withStore(({ control, known }) => control.say(resolveKnown(targets, known()), content, delivery)),
    async order({ order, targets }: Order) {
      const ids = resolveKnown(targets, await reader.known());
      if (order === "stop") return ids.map((id) => ({ id, outcome: "already" }));
      return withStore((store) => inOrder(resolveKnown(ids, store.known()), (id) => obey(store, id, order)));
    },
    resend: (dead) =>
      withStore(({ known, bus, writerFor }) => {
        const office = { clock, known: known(), unread: bus.unread, writerFor };
        return inOrder(dead, (id) => resentOf(id, resend(id, office)));
      }),
    fork: (order) =>
      withStore(async (store) => {
        const { to, done } = await fork(order, {
          store,
          paths: reader.paths,
          clock,
          writerFor: store.writerFor,
        });
        return { to, outcome: "done", ...(await done) };
      }),
  };
}

async function obey({ writerFor }: Store, id: AgentId, order: "pause" | "resume"): Promise<Obeyed> {
  const isPausing = order === "pause";
  const reason = isPausing ? "paused" : "resumed";
  const outcome = await writerFor(id)!.alone(async ({ memory }) => {
    if (changesNothing(order, memory.conversation)) return "already";
    await memory.commit({ kind: "notice", reason, content: isPausing ? PAUSED : "" });
    return "done";
  });
  return { id, outcome };
}

/** One after the other. */
async function inOrder<T, R>(items: readonly T[], each: (item: T) => Promise<R>): Promise<readonly R[]> {
  const made: R[] = [];
  for (const item of items) made.push(await each(item));
  return made;
}
