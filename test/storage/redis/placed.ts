import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import { createClock } from "../../../src/base/clock.ts";
import type { AgentId } from "../../../src/domain/message/message.ts";
import { createLeases, type Leases } from "../../../src/storage/redis/cluster/leases.ts";
import {
  startPlacement,
  type Placement,
  type PlacementOptions,
} from "../../../src/storage/redis/cluster/scheduler.ts";
import type { Tenure } from "../../../src/domain/lease.ts";
import { cuttable, openTestLink, type CutLink } from "./members.ts";

/** A node of a legion whose agents do nothing but run. */
export interface PlacedNode {
  readonly link: CutLink;
  readonly leases: Leases;
  readonly placement: Placement;
  /** What runs here, with the right that it runs under. */
  readonly running: ReadonlyMap<AgentId, Tenure>;
  /** Every beginning and end, in order: `begin 1`, `end 1`. */
  readonly steps: readonly string[];
  readonly troubles: readonly string[];
}

export type PlacedOptions = Partial<PlacementOptions> & {
  readonly candidates: readonly AgentId[];
  readonly leaseMs?: number;
};

/** Starts a node; it is closed when the test is over. */
export async function startNode(url: string, legion: string, options: PlacedOptions): Promise<PlacedNode> {
  const link = cuttable(await openTestLink(url));
  const id = `1@host/${randomUUID()}`;
  const leases = createLeases({ link, legion, node: id, durability: "weak", leaseMs: options.leaseMs });
  const running = new Map<AgentId, Tenure>();
  const steps: string[] = [];
  const troubles: string[] = [];
  const placement = startPlacement({
    link,
    legion,
    leases,
    clock: createClock(),
    node: { id, name: "1@host", workspace: "here" },
    mayRunHere: () => true,
    onTrouble: (text) => void troubles.push(text),
    ...options,
    async begin(agent, tenure) {
      steps.push(`begin ${agent}`);
      await options.begin?.(agent, tenure);
      running.set(agent, tenure);
    },
    async end(agent) {
      steps.push(`end ${agent}`);
      running.delete(agent);
      await options.end?.(agent);
    },
  });
  onTestFinished(async () => {
    await placement.close();
    await leases.close();
  });
  return { link, leases, placement, running, steps, troubles };
}

/** `1` to `count`. */
export function agentsUpTo(count: number): readonly AgentId[] {
  return Array.from({ length: count }, (_, i) => String(i + 1));
}

/** How many agents each node runs. */
export function spread(nodes: readonly PlacedNode[]): readonly number[] {
  return nodes.map(({ running }) => running.size);
}

/** Does each of `agents` run at one node and no more? */
export function eachRunsOnce(nodes: readonly PlacedNode[], agents: readonly AgentId[]): boolean {
  return agents.every((agent) => nodes.filter(({ running }) => running.has(agent)).length === 1);
}
