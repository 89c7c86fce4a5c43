// A bus that also knows the way to long-term memories: where a recipient has a slash in its name, it is one.

import { parseMessageId, type AgentId, type Delivery } from "../domain/message/message.ts";
import type { Bus, Receipt } from "./bus.ts";

/** Takes what is sent to a memory. */
export interface MemoryPost {
  receive(memory: AgentId, delivery: Delivery): Promise<Receipt>;
}

export function withMemories<B extends Bus>(bus: B, memories: MemoryPost): B {
  return {
    ...bus,
    send(delivery) {
      const { to } = parseMessageId(delivery.message.id);
      return to.includes("/") ? memories.receive(to, delivery) : bus.send(delivery);
    },
  };
}
