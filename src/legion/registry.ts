// Who exists, what they are for and whether they run: what agents see of each other.

import type { Peer } from "../domain/authoring/host.ts";
import type { AgentPlan } from "./hosting/agent-plan.ts";
import { displayName, type AgentId } from "../domain/message/message.ts";
import { toRecord } from "../storage/contract/reader.ts";
import type { Store } from "../storage/contract/store.ts";
import type { Supervised } from "./supervision/supervisor.ts";

/** Returns how to list every known agent, Control not; `plans` are of those that may be hosted here, `agents` those that are. */
export function createPeers(
  store: Pick<Store, "known" | "record" | "runElsewhere">,
  plans: readonly Pick<AgentPlan, "identity">[],
  agents: ReadonlyMap<AgentId, Supervised>,
): () => Promise<readonly Peer[]> {
  const descriptions = new Map(plans.map(({ identity }) => [identity.id, identity.description]));
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
