// Who exists, what they are for and whether they run: what agents see of each other.

import type { Identity, Peer } from "../domain/module.ts";
import { displayName, type AgentId } from "../domain/message.ts";
import { toRecord } from "../storage/contract/reader.ts";
import type { Store } from "../storage/contract/store.ts";
import type { Supervised } from "./supervision/supervisor.ts";

export interface PeerSources {
  readonly store: Pick<Store, "known" | "record" | "runElsewhere">;
  /** Of the agents that may be hosted here. */
  readonly identities: readonly Identity[];
  /** Those that are. */
  readonly agents: ReadonlyMap<AgentId, Supervised>;
}

/** Returns how to list every known agent, Control not. */
export function createPeers({ store, identities, agents }: PeerSources): () => Promise<readonly Peer[]> {
  const descriptions = new Map(identities.map(({ id, description }) => [id, description]));
  const describe = async (id: AgentId): Promise<string> => {
    const known = descriptions.get(id) ?? toRecord((await store.record(id)) ?? "").description ?? "";
    descriptions.set(id, known);
    return known;
  };
  return async () => {
    const elsewhere = await store.runElsewhere();
    const isRunning = (id: AgentId): boolean => {
      const here = agents.get(id);
      return here ? !isOver(here) : elsewhere.has(id);
    };
    return Promise.all(
      store.known().map(async (id) => ({
        id,
        name: displayName(id),
        description: await describe(id),
        running: isRunning(id),
      })),
    );
  };
}

/** It does not act, whatever anybody writes to it. */
export function isOver({ standing }: Supervised): boolean {
  return standing.state === "halted" || standing.state === "stopped";
}
