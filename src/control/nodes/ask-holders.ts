// A person's word about agents of a legion that several nodes share, each of which may be run by another node, or by none. Whoever has the
// right to run an agent is asked; where nobody has it, the command takes it for as long as it needs. Agents move meanwhile:
// what is not done because of that is tried with the next one who has the right.

import { setTimeout as delay } from "node:timers/promises";
import { LegionError, isLegionError } from "../../base/errors.ts";
import type { AgentId } from "../../domain/message.ts";
import type { Nodes } from "../../storage/contract/nodes.ts";
import type { NodeApi } from "../api/routes.ts";
import { nodeClient, noAnswer, type NodesClient } from "./client.ts";

const ANSWER_MS = 10_000;
/** The right of a dead process runs out before. */
const PATIENCE_MS = 15_000;
const RETRY_MS = 100;

/** How something is done with items, each of which is about one agent. */
export interface HolderTask<R> {
  agentOf(item: string): AgentId;
  /** Has the node that runs their agents do `items`; one result for each, in their order. */
  ask(node: NodeApi, items: readonly string[]): Promise<readonly R[]>;
  /** Does `item`, whose agent nobody runs. */
  alone(item: string): Promise<R>;
}

export interface SharedLegion {
  readonly nodes: Nodes;
  readonly client: NodesClient;
}

/**
 * Does each of `items`, which are all different; results in their order. Rejects with what refuses one of them, and with
 * LOCKED if somebody who runs an agent does not answer: they may yet do what was asked.
 */
export async function askHolders<R>(
  { nodes, client }: SharedLegion,
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
