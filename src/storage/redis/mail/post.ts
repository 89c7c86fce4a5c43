// What is sent to one peer in one turn goes together: one script takes in many messages almost as fast as one.

import type { AgentId } from "../../../domain/message/message.ts";

interface Batch<M, R> {
  readonly messages: M[];
  /** In the same order. */
  readonly delivered: Promise<readonly R[]>;
}

const MAX_BATCH = 100;

/** Delivers to each peer in the order of the calls; `deliver` says of each message what became of it, in their order. */
export function createPost<M, R>(
  deliver: (to: AgentId, messages: readonly M[]) => Promise<readonly R[]>,
): (to: AgentId, message: M) => Promise<R> {
  const batches = new Map<AgentId, Batch<M, R>>();
  const begin = (to: AgentId): Batch<M, R> => {
    const messages: M[] = [];
    const delivered = Promise.resolve().then(() => {
      if (batches.get(to)?.messages === messages) batches.delete(to);
      return deliver(to, messages);
    });
    return { messages, delivered };
  };
  return async (to, message) => {
    let batch = batches.get(to);
    if (!batch || batch.messages.length === MAX_BATCH) batches.set(to, (batch = begin(to)));
    const index = batch.messages.push(message) - 1;
    return (await batch.delivered)[index]!;
  };
}
