import type { AgentId } from "../../domain/message/message.ts";
import type { AgentPlace } from "../hosting/agent-plan.ts";
import type { Supervised } from "../supervision/supervisor.ts";
import type { ObservingPlace } from "./sources.ts";

/** Opens what agents of a legion observe, and loads nothing before one of them does. `agents`: those that run in this process. */
export function observing({
  agents,
  ...place
}: Pick<ObservingPlace, "reader" | "clock" | "inspector" | "lookMs"> & {
  readonly agents: ReadonlyMap<AgentId, Pick<Supervised, "agent">>;
}): NonNullable<AgentPlace["sources"]> {
  const safe = (agent: AgentId): number => agents.get(agent)?.agent?.memory.safe ?? Infinity;
  return async (memory, observe, from) => {
    const { openSources } = await import("./sources.ts");
    return openSources({ ...place, memory, observe, from, safe, observer: memory.agent });
  };
}
