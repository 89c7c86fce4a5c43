// What each first message cost, over all agents that worked for it.

import { messageOf } from "../../base/errors.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { spentIn } from "../../past/digest/charges/charge.ts";
import type { FirstMessage, RootId } from "../../past/shares/by-cause.ts";
import { NOTHING, add, roundedDollars, type Spent } from "../../past/limits/spending.ts";
import type { Reader } from "../../storage/contract/reader.ts";

export interface CauseSpending {
  /** The id of the first message; absent: what agents did before they were shown any. */
  readonly root?: string;
  /** The first message, if a log still has it. */
  readonly first?: FirstMessage;
  /** Who spent something for it, in the order of their names. */
  readonly agents: readonly AgentId[];
  readonly spent: Spent;
  /** US dollars; 0 is free, null is unknown. */
  readonly cost: number | null;
}

export interface CauseBill {
  /** In the order in which they were said, those that nobody knows first. Together they are what the agents spent. */
  readonly causes: readonly CauseSpending[];
  /** Agents whose logs cannot be read, and why: what they spent is missing. */
  readonly unread: readonly { readonly agent: AgentId; readonly reason: string }[];
}

export type DigestedLogs = Pick<Reader, "known" | "digest">;

/** What every first message cost so far, over all logs, also while a node runs. */
export async function billOf(reader: DigestedLogs): Promise<CauseBill> {
  const unread: { agent: AgentId; reason: string }[] = [];
  const sums = new Map<RootId, { agents: AgentId[]; spent: Spent; isPriced: boolean }>();
  const firsts = new Map<string, FirstMessage>();
  for (const agent of await reader.known()) {
    const digest = await reader.digest(agent).catch((error: unknown) => {
      unread.push({ agent, reason: messageOf(error) });
    });
    if (!digest) continue;
    for (const [id, first] of digest.charges.firsts) firsts.set(id, first);
    for (const [root, { charge, isPriced }] of digest.charges.causes) {
      const sum = sums.get(root) ?? { agents: [], spent: NOTHING, isPriced: false };
      sums.set(root, {
        agents: [...sum.agents, agent],
        spent: add(sum.spent, spentIn(charge)),
        isPriced: sum.isPriced || isPriced,
      });
    }
  }
  const causes = [...sums].map(([root, { agents, spent, isPriced }]): CauseSpending => {
    const first = root === undefined ? undefined : firsts.get(root);
    return {
      root,
      first,
      agents,
      spent,
      cost: isPriced || spent.steps === 0 ? roundedDollars(spent.cost) : null,
    };
  });
  return { causes: causes.sort(bySaying), unread };
}

/**
 * What the first message `root` (the id that saying it gave) cost so far, over all agents that worked for it; `undefined` if nobody
 * spent anything for it.
 */
export async function causeSpending(reader: DigestedLogs, root: string): Promise<CauseSpending | undefined> {
  return (await billOf(reader)).causes.find((cause) => cause.root === root);
}

function bySaying(a: CauseSpending, b: CauseSpending): number {
  const [at, other] = [a.first?.sentAt ?? "", b.first?.sentAt ?? ""];
  return at < other ? -1 : Number(at > other);
}
