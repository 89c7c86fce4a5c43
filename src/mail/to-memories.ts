// A bus that also knows the way to long-term memories.

import { isMemoryId } from "../domain/memory/memory-id.ts";
import { parseMessageId, type AgentId, type Delivery } from "../domain/message/message.ts";
import type { Bus, Reception } from "./bus.ts";

/** Takes what is sent to a memory. */
export interface MemoryPost {
  receive(memory: AgentId, delivery: Delivery): Promise<Reception>;
}

export function withMemories<B extends Bus>(bus: B, memories: MemoryPost): B {
  return {
    ...bus,
    send(delivery) {
      const { to } = parseMessageId(delivery.message.id);
      return isMemoryId(to) ? memories.receive(to, delivery) : bus.send(delivery);
    },
  };
}
