// How a command speaks to the nodes that share a legion.

import { randomUUID } from "node:crypto";
import { isLegionError, LegionError } from "../../base/errors.ts";
import { nodeName, type Nodes } from "../../storage/contract/nodes.ts";
import { createClient } from "../api/client.ts";
import { MAX_BODY_BYTES, tooLong } from "../api/refusal.ts";
import type { NodeApi } from "../api/routes.ts";
import { readAnswer, type OrderAnswer, type OrderRequest } from "./wire.ts";
import { unlessLate } from "../api/orders.ts";

/** How often the same is asked again while no answer comes. */
const AGAIN_MS = 1_000;

export interface NodesClient {
  /**
   * What the node with the id `node` answers. Rejects with its refusal, with LOCKED if it did not answer within the time: it
   * may yet do what was asked; with USAGE for a question that is too long, with STORAGE if it surely was not said.
   */
  ask(node: string, asked: { path: string; body: object; patienceMs: number }): Promise<object>;
  /** Ids of the nodes that once did not answer. */
  readonly silent: ReadonlySet<string>;
  close(): void;
}

/** Rejects with STORAGE if the place where it is kept does not answer. */
export async function openNodesClient(nodes: Nodes): Promise<NodesClient> {
  const client = randomUUID();
  const silent = new Set<string>();
  const waiting = new Map<string, (answer: OrderAnswer) => void>();
  const leave = await nodes.channel("client", client).listen((text) => {
    const answer = readAnswer(text);
    if (answer) waiting.get(answer.id)?.(answer);
  });
  return {
    silent,
    async ask(node, { path, body, patienceMs }) {
      const request: OrderRequest = { id: randomUUID(), client, path, body };
      const text = JSON.stringify(request);
      if (text.length > MAX_BODY_BYTES) throw tooLong();
      const answered = new Promise<OrderAnswer>((resolve) => waiting.set(request.id, resolve));
      try {
        const say = () => nodes.channel("node", node).say(text);
        const answer = await repeat(say, answered, patienceMs);
        if (answer === "silent") {
          silent.add(node);
          throw noAnswer(node);
        }
        if ("error" in answer) throw new LegionError(answer.error.code, answer.error.message);
        return answer.answer;
      } finally {
        waiting.delete(request.id);
      }
    },
    close: leave,
  };
}

/** The node with this id; silence of more than `patienceMs` rejects with LOCKED. */
export function nodeClient(client: NodesClient, id: string, patienceMs: number): NodeApi {
  return createClient((path, body) => client.ask(id, { path, body, patienceMs }));
}

/** `undefined` where a node does not answer, or does not run the agent. */
export async function unlessLocked<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (isLegionError(error, "LOCKED")) return undefined;
    throw error;
  });
}

export function noAnswer(id: string): LegionError {
  const silence = `node ${nodeName(id)} does not answer; it may do later what it was asked`;
  return new LegionError("LOCKED", silence);
}

/** Rejects if the first try does: then nothing was heard. */
async function repeat<T>(
  say: () => Promise<unknown>,
  answered: Promise<T>,
  patienceMs: number,
): Promise<T | "silent"> {
  const deadlineMs = performance.now() + patienceMs;
  await say();
  for (;;) {
    const leftMs = Math.max(0, deadlineMs - performance.now());
    const answer = await unlessLate(answered, Math.min(leftMs, AGAIN_MS), "silent" as const);
    if (answer !== "silent" || leftMs <= AGAIN_MS) return answer;
    // What carries it may be away for a moment: an answer that is on its way still counts.
    await say().catch(() => undefined);
  }
}
