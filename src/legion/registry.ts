// Who exists, what they are for and whether they run: what agents see of each other.

import type { Peer } from "../domain/authoring/host.ts";
import type { AgentPlan } from "./hosting/agent-plan.ts";
import { displayName, type AgentId } from "../domain/message/message.ts";
import { toRecord } from "../storage/contract/reader.ts";
import type { Store } from "../storage/contract/store.ts";
import type { Residents } from "./hosting/rest/residents.ts";
import type { Supervised } from "./supervision/supervisor.ts";

/** Returns how to list every known agent, Control not; `plans` are of those that may be hosted here, `agents` those that are. Costs next to nothing once all were asked for. */
export function createPeers(
  store: Pick<Store, "known" | "record" | "runElsewhere">,
  plans: readonly Pick<AgentPlan, "identity">[],
  { agents, isName }: Pick<Residents, "agents" | "isName">,
): () => Promise<readonly Peer[]> {
  const descriptions = new Map(plans.map(({ identity }) => [identity.id, identity.description]));
  const describe = async (id: AgentId): Promise<void> => {
    descriptions.set(id, toRecord((await store.record(id)) ?? "").description ?? "");
  };
  return async () => {
    const elsewhere = await store.runElsewhere();
    const isRunning = (id: AgentId): boolean => {
      const here = isName(id) || agents.get(id);
      return here ? here === true || !isOver(here) : elsewhere.has(id);
    };
    const known = store.known();
    await Promise.all(known.filter((id) => !descriptions.has(id)).map(describe));
    return known.map((id) => {
      const description = descriptions.get(id)!;
      return { id, name: displayName(id), description, running: isRunning(id) };
    });
  };
}

/** It does not act, whatever anybody writes to it. */
export function isOver({ standing }: Supervised): boolean {
  return standing.state === "halted" || standing.state === "stopped";
}
