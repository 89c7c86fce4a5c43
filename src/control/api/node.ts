// A running node, as whoever speaks to it sees it.

import { LegionError } from "../../base/errors.ts";
import type { ForkOrder } from "../../legion/fork.ts";
import type { AgentStatus } from "../../legion/status.ts";
import type { ForkAnswer, Obeyed, Order, Resent, Said } from "./messages.ts";

/** Every method rejects with the node's refusal, or with what kept it from being heard. */
export interface Node {
  status(): Promise<readonly AgentStatus[]>;
  /** Returns the message ids. */
  say(said: Said): Promise<readonly string[]>;
  order(order: Order): Promise<readonly Obeyed[]>;
  /** Sends dead letters again; says of each what came of it. */
  resend(dead: readonly string[]): Promise<readonly Resent[]>;
  /** Has an agent go on from an earlier moment of its past. */
  fork(order: ForkOrder): Promise<ForkAnswer>;
  /** Asks the node to end; resolves before it has. */
  stop(): Promise<void>;
}

/** Puts a question to a node's desk. Resolves with its answer, as it is. */
export type Ask = (path: string, body: object) => Promise<unknown>;

export function speakTo(ask: Ask): Node {
  return {
    status: async () => listIn(await ask("/status", {}), "agents") as AgentStatus[],
    say: async (said) => listIn(await ask("/say", said), "ids") as string[],
    order: async (order) => listIn(await ask("/order", order), "agents") as Obeyed[],
    resend: async (dead) => listIn(await ask("/resend", { dead }), "letters") as Resent[],
    fork: async (order) => (await ask("/fork", order)) as ForkAnswer,
    stop: async () => void (await ask("/stop", {})),
  };
}

function listIn(answer: unknown, field: string): readonly unknown[] {
  const list = { ...(answer as Readonly<Record<string, unknown>> | null) }[field];
  if (Array.isArray(list)) return list;
  throw new LegionError(
    "REFUSED",
    "The node answers in another way than expected; is its version another one?",
  );
}
