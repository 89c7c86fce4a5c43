import { join } from "node:path";
import type { AgentId } from "../../domain/message/message.ts";

/** Where a project keeps its run-time state. */
export interface LegionPaths {
  readonly project: string;
  readonly root: string;
  readonly lock: string;
  readonly tmp: string;
  readonly corrupt: string;
  /** Agents from outside that are complete and not at their place yet; mostly not there. */
  readonly arrivals: string;
  readonly logs: string;
  readonly agents: string;
  readonly socket: string;
  agent(id: AgentId): string;
  blobs(id: AgentId): string;
}

export function legionPaths(project: string): LegionPaths {
  const root = join(project, ".ai-legion");
  const agents = join(root, "agents");
  return {
    project,
    root,
    lock: join(root, "lock"),
    tmp: join(root, "tmp"),
    corrupt: join(root, "corrupt"),
    arrivals: join(root, "arrivals"),
    logs: join(root, "logs"),
    agents,
    socket: join(root, "legion.sock"),
    agent: (id) => join(agents, id),
    blobs: (id) => join(agents, id, "blobs"),
  };
}
