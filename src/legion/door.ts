import { LegionError } from "../base/errors.ts";
import type { Redactor } from "../base/redaction/redactor.ts";
import { inTurnsEach } from "../base/turns.ts";
import type { AgentId } from "../domain/message/message.ts";
import type { Running } from "../storage/contract/node.ts";
import type { Hosting } from "./hosting/agent-host.ts";
import { toHostable, type AgentPlan } from "./hosting/agent-plan.ts";
import type { Supervised } from "./supervision/supervisor.ts";

interface Doorstep {
  /** Those that run here. */
  readonly agents: ReadonlyMap<AgentId, Supervised>;
  readonly redactor: Redactor;
}

/** Lets agents in while others run, those of one name one at a time; and out again. */
export function createDoor(hosting: Hosting, running: Running, { agents, redactor }: Doorstep) {
  const inTurn = inTurnsEach();
  const admitAgent = async (plan: AgentPlan): Promise<Supervised> => {
    const { id, name } = plan.identity;
    const there = agents.get(id);
    if (there && there.standing.state !== "stopped")
      throw new LegionError("USAGE", `${name} runs here already; give the new one another id`);
    hosting.plan(plan);
    await running.add(toHostable(plan, redactor));
    return agents.get(id)!;
  };
  return {
    host: (plan: AgentPlan) => inTurn(plan.identity.id, () => admitAgent(plan)),
    dismiss: (agent: AgentId) => running.dismiss(agent),
    retire: (agent: AgentId) => running.retire(agent),
  };
}
