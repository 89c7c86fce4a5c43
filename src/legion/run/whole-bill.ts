import type { AgentId } from "../../domain/message/message.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { billOf } from "../spending/causes.ts";
import type { RunBill } from "./report.ts";

/** What a run came to, over all agents that worked for what its own was told. */
export interface WholeBill extends RunBill {
  /** How many worked for it; at least 1. */
  readonly agents: number;
  /** Steps of its own agent among them: limits in steps are those of one. */
  readonly ownSteps: number;
}

/** Of an agent that nobody worked for. */
export function aloneWith({ steps, tokens, cost, timeMs }: RunBill): WholeBill {
  return { steps, tokens, cost, timeMs, agents: 1, ownSteps: steps };
}

/**
 * Reads the logs of a home where others may have worked. What they spent for what `worker` never worked at is none of its run. Where
 * the log of one cannot be read, nobody knows what it cost.
 */
export async function wholeBill(
  worker: AgentId,
  own: RunBill,
  reader: Pick<Reader, "known" | "digest">,
): Promise<WholeBill> {
  if ((await reader.known()).every((id) => id === worker)) return aloneWith(own);
  const { causes, unread } = await billOf(reader);
  const shared = causes.filter(({ agents }) => agents.includes(worker));
  const agents = new Set([worker, ...shared.flatMap((cause) => cause.agents)]);
  if (agents.size === 1) return aloneWith(own);
  const sum = (part: (cause: (typeof shared)[number]) => number): number =>
    shared.reduce((total, cause) => total + part(cause), 0);
  const isUnknown = unread.length > 0 || shared.some(({ cost }) => cost === null);
  return {
    steps: sum(({ spent }) => spent.steps),
    tokens: sum(({ spent }) => spent.tokens),
    // Sums of fractions drift.
    cost: isUnknown ? null : Math.round(sum(({ cost }) => cost!) * 1e9) / 1e9,
    timeMs: sum(({ spent }) => spent.timeMs),
    agents: agents.size,
    ownSteps: own.steps,
  };
}
