// A person's word about agents of a legion that several nodes share, each of which may be run by another node, or by none. Whoever has the
// right to run an agent is asked; where nobody has it, the command takes it for as long as it needs. Agents move meanwhile:
// what is not done because of that is tried with the next one who has the right.

import { setTimeout as delay } from "node:timers/promises";
import { LegionError, isLegionError } from "../../base/errors.ts";
import type { AgentId } from "../../domain/message.ts";
import type { Nodes, Whereabouts } from "../../storage/contract/nodes.ts";
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
  legion: SharedLegion,
  items: readonly string[],
  task: HolderTask<R>,
): Promise<readonly R[]> {
  const done = new Map<string, R>();
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const open = items.filter((item) => !done.has(item));
    const whereabouts = await legion.nodes.whereabouts(open.map(task.agentOf));
    const groups = groupBy(open, (item) => whereabouts.of(task.agentOf(item)).holder);
    const attempts = [...groups].map(([holder, group]) =>
      attempt(group, { ...legion, holder, whereabouts, done, task }),
    );
    const obstacles = await all(attempts);
    if (done.size === items.length) return items.map((item) => done.get(item)!);
    if (performance.now() > deadlineMs) throw obstacles.find((obstacle) => obstacle !== undefined)!;
    await delay(RETRY_MS);
  }
}

interface Attempt<R> extends SharedLegion {
  /** Who has the right to run their agents; absent: nobody. */
  readonly holder: string | undefined;
  readonly whereabouts: Whereabouts;
  readonly done: Map<string, R>;
  readonly task: HolderTask<R>;
}

/** Resolves with what keeps `items` from being done at this moment, if something does. */
async function attempt<R>(items: readonly string[], attempt: Attempt<R>): Promise<LegionError | undefined> {
  const { holder, client, whereabouts, done, task } = attempt;
  try {
    if (holder === undefined) {
      for (const item of items) done.set(item, await task.alone(item));
    } else if (whereabouts.nodes.has(holder) && !client.silent.has(holder)) {
      const results = await task.ask(nodeClient(client, holder, ANSWER_MS), items);
      items.forEach((item, index) => done.set(item, results[index]!));
    } else return noAnswer(holder);
    return undefined;
  } catch (error) {
    if (isLegionError(error, "LOCKED")) return error;
    throw error;
  }
}

/** Waits for all of them, whatever fails; rejects with the first failure. */
async function all<T>(works: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
