// Who exists, what they are for and whether they run: what agents see of each other.

import { join } from "node:path";
import type { Identity } from "./agent.ts";
import { displayName, type AgentId } from "./message.ts";
import type { Peer } from "./module.ts";
import type { LegionPaths } from "./paths.ts";
import type { Store } from "./store.ts";
import type { Supervised } from "./supervisor.ts";

export interface PeerSources {
  readonly store: Store;
  readonly paths: LegionPaths;
  /** Of the hosted agents. */
  readonly identities: readonly Identity[];
  readonly agents: ReadonlyMap<AgentId, Supervised>;
}

/** Returns how to list every known agent, Control not. */
export async function openPeers({
  store,
  paths,
  identities,
  agents,
}: PeerSources): Promise<() => readonly Peer[]> {
  const descriptions = new Map(identities.map(({ id, description }) => [id, description]));
  for (const id of store.known()) {
    if (descriptions.has(id)) continue;
    const text = (await store.disk.read(join(paths.agent(id), "agent.json")))?.toString("utf8");
    if (text !== undefined) descriptions.set(id, descriptionIn(text));
  }
  return () =>
    store.known().map((id) => ({
      id,
      name: displayName(id),
      description: descriptions.get(id) ?? "",
      running: agents.has(id) && !isOver(agents.get(id)!),
    }));
}

/** It does not act, whatever anybody writes to it. */
export function isOver({ standing }: Supervised): boolean {
  return standing.state === "halted" || standing.state === "stopped";
}

/** Empty if `agent.json` is not as the runtime wrote it. */
function descriptionIn(text: string): string {
  try {
    const { description } = JSON.parse(text) as { readonly description?: unknown };
    return typeof description === "string" ? description : "";
  } catch {
    return "";
  }
}
