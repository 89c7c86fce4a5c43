// What all agents of a legion came to, from the digest of each, for whoever asks again and again: only a log that has grown is looked
// at. In this process no number goes back, also where an agent is deleted, or begun anew: what it had come to stays.

import { isLegionError } from "../../base/errors.ts";
import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import { count, nameOf, type GrowingCounts } from "../../past/digest/counts.ts";
import type { Digest } from "../../past/digest/digest.ts";
import type { Reader } from "../../storage/contract/reader.ts";

export interface LegionTotals {
  /** As `OutcomeCounts` names them, and besides `sent` and `taken`: messages. */
  readonly counts: GrowingCounts;
  /** Agents whose logs cannot be read: they count with what was known of them. */
  readonly unread: number;
}

interface TotalledLog {
  /** The newest event. */
  readonly last: number;
  readonly counts: GrowingCounts;
}

/** So many are read at once: most of the time the disk is waited for. */
const AT_ONCE = 4;

export function createTotals(reader: Pick<Reader, "known" | "last" | "digest">) {
  const known = new Map<AgentId, TotalledLog>();
  /** Of agents that are no more. */
  const departed = new Map<string, number>();
  const told = new Map<string, number>();
  const depart = (agent: AgentId): void => {
    for (const [name, n] of known.get(agent)?.counts ?? []) count(departed, name, n);
    known.delete(agent);
  };
  const look = async (agent: AgentId): Promise<void> => {
    if ((await reader.last(agent)) === known.get(agent)?.last) return;
    const digest = await reader.digest(agent);
    const { last } = digest.ledger;
    if (last < (known.get(agent)?.last ?? 0)) depart(agent);
    known.set(agent, { last, counts: countsIn(digest) });
  };
  return {
    /** Rejects where nothing can be read at all. */
    async read(): Promise<LegionTotals> {
      const agents = [CONTROL, ...(await reader.known())];
      for (const agent of known.keys()) if (!agents.includes(agent)) depart(agent);
      let unread = 0;
      const left = agents.values();
      const readOn = async (): Promise<void> => {
        for (const agent of left)
          await look(agent).catch((error: unknown) => {
            if (!isLegionError(error)) throw error;
            unread++;
          });
      };
      await Promise.all(Array.from({ length: AT_ONCE }, readOn));
      const counts = new Map(departed);
      for (const log of known.values()) for (const [name, n] of log.counts) count(counts, name, n);
      // Dollars that are added up in another order may come to a hair less, which would count as a new beginning.
      for (const [name, n] of counts) told.set(name, Math.max(n, told.get(name) ?? 0));
      return { counts: told, unread };
    },
  };
}

function countsIn({ outcomes, peers }: Digest): GrowingCounts {
  const counts = new Map(outcomes);
  for (const { sent, taken } of peers.values()) {
    count(counts, nameOf("sent"), sent);
    count(counts, nameOf("taken"), taken);
  }
  return counts;
}
