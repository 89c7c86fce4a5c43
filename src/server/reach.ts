// How a person's word reaches a legion: through the node that runs it, or, while none does, straight into its files.

import { setTimeout as delay } from "node:timers/promises";
import { createClock } from "../clock.ts";
import { isLegionError } from "../errors.ts";
import type { Durability } from "../log/journal.ts";
import type { AgentId } from "../message.ts";
import { createOutbox } from "../outbox.ts";
import type { Reader } from "../reader.ts";
import { UNHOSTED, openStore, type Store } from "../store.ts";
import { PAUSED, changesNothing, resolveKnown, type Obeyed, type Order } from "./control-api.ts";
import { findNode, type NodeClient } from "./control-client.ts";

/** A legion that runs or rests. */
export type Reach = Pick<NodeClient, "say" | "order">;

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
  const withStore = async <T>(opened: readonly AgentId[], use: (store: Store) => Promise<T>): Promise<T> => {
    const { paths } = reader;
    const hosted = new Set(opened);
    const store = await openStore({
      paths,
      role: "command",
      durability,
      clock,
      inspect: () => undefined,
      hosted,
    });
    try {
      const made = await use(store);
      await store.deliverForOthers();
      return made;
    } finally {
      await store.close();
    }
  };
  const heed = async (store: Store, id: AgentId, order: "pause" | "resume"): Promise<Obeyed> => {
    const memory = await store.openAgent(id, UNHOSTED);
    const outbox = createOutbox(memory, store.bus, clock);
    try {
      await outbox.deliver();
      if (changesNothing(order, memory.ledger)) return { id, outcome: "already" };
      const pausing = order === "pause";
      await memory.commit({
        kind: "notice",
        reason: pausing ? "paused" : "resumed",
        content: pausing ? PAUSED : "",
      });
      return { id, outcome: "done" };
    } finally {
      await outbox.close();
      await memory.close();
    }
  };
  return {
    say: ({ targets, content, delivery }) =>
      withStore([], ({ control, known }) => control.say(resolveKnown(targets, known()), content, delivery)),
    async order({ order, targets }: Order) {
      const ids = resolveKnown(targets, await reader.known());
      if (order === "stop") return ids.map((id) => ({ id, outcome: "already" }));
      return withStore(ids, async (store) => {
        const obeyed: Obeyed[] = [];
        for (const id of ids) obeyed.push(await heed(store, id, order));
        return obeyed;
      });
    },
  };
}
