// A legion whose process is gone at one moment of an agent's: right before or right after one of its commits, or of its
// deliveries to a long-term memory.

import { SHUTDOWN } from "../../../../src/base/process/signals.ts";
import { parseMessageId, type AgentId } from "../../../../src/domain/message/message.ts";
import type { Memory } from "../../../../src/past/past.ts";
import type { Backend } from "../../../../src/storage/contract/backend.ts";
import type { Store } from "../../../../src/storage/contract/store.ts";
import { byHand } from "../../../world.ts";

export interface KillMoment {
  readonly what: "commit" | "delivery";
  /** The how manieth, from 1. */
  readonly at: number;
  readonly when: "before" | "after";
}

export interface KillingBackend {
  readonly backend: Backend;
  /** Resolves when the moment is there: from then on nothing of the agent's is written or sent. */
  readonly killed: Promise<void>;
  /** How many there were. */
  readonly counted: Readonly<Record<KillMoment["what"], number>>;
}

/**
 * `backend` for a life of its process that ends at `moment`, if it comes to that.
 *
 * @param strike what happens then in place of its end
 */
export function killing(
  backend: Backend,
  agent: AgentId,
  moment?: KillMoment,
  strike?: () => Promise<void>,
): KillingBackend {
  const killed = byHand();
  const counted = { commit: 0, delivery: 0 };
  let isDead = false;
  const at = async <T>(what: KillMoment["what"], work: () => Promise<T>): Promise<T> => {
    if (isDead) throw SHUTDOWN;
    const isNow = moment?.what === what && ++counted[what] === moment.at;
    if (!moment) counted[what]++;
    if (!isNow) return work();
    if (strike) {
      if (moment.when === "before") await strike();
      const done = await work();
      if (moment.when === "after") await strike();
      return done;
    }
    if (moment.when === "after") await work();
    isDead = true;
    killed.resolve();
    throw SHUTDOWN;
  };
  const watched = (memory: Memory): Memory => {
    const own: Pick<Memory, "commit" | "note" | "noteBetween"> = {
      commit: (...events) => at("commit", () => memory.commit(...events)),
      note: (event) => (isDead ? undefined : memory.note(event)),
      noteBetween: (event, noted) => (isDead ? Promise.reject(SHUTDOWN) : memory.noteBetween(event, noted)),
    };
    return Object.assign(Object.create(memory) as Memory, own);
  };
  const storeOf = (store: Store): Store => {
    const own: Pick<Store, "openAgent" | "bus"> = {
      openAgent: async (id, options) => {
        const memory = await store.openAgent(id, options);
        return id === agent ? watched(memory) : memory;
      },
      bus: {
        ...store.bus,
        send: (delivery) =>
          parseMessageId(delivery.message.id).from === agent
            ? at("delivery", () => store.bus.send(delivery))
            : store.bus.send(delivery),
      },
    };
    return Object.assign(Object.create(store) as Store, own);
  };
  return {
    killed: killed.promise,
    counted,
    backend: {
      ...backend,
      async openNode(order, surroundings) {
        const node = await backend.openNode(order, surroundings);
        return { ...node, store: storeOf(node.store) };
      },
    },
  };
}
