// What a node looks out for on behalf of its person: agents that cannot be here, and agents that are gone.

import type { Clock } from "../../../base/clock.ts";
import { boundTo } from "./registration.ts";
import type { AgentId } from "../../../domain/message.ts";
import { listed } from "./changes.ts";
import type { Registry } from "../cluster/directory.ts";
import type { WorkspaceId } from "../../folder/workspace.ts";

export interface Watch {
  readonly registry: Pick<Registry, "agents">;
  readonly tell: (text: string) => void;
}

/** Says which agents cannot run here because their files are elsewhere. */
export function tellOfAbsent(
  agents: readonly AgentId[],
  { registry, workspace, tell }: Watch & { readonly workspace: WorkspaceId },
): void {
  const absent = new Map<string, AgentId[]>();
  for (const agent of agents) {
    const home = boundTo(registry.agents.get(agent));
    if (!home || home.id === workspace.id) continue;
    const place = `${home.folder} on ${home.host}`;
    absent.set(place, [...(absent.get(place) ?? []), agent]);
  }
  for (const [place, ids] of absent)
    tell(
      `${listed(ids)}: bound to the files in ${place}, and run there; \`legion start --here\` moves them.`,
    );
}

const LOOK_MS = 2_000;

/** Says so when Redis does not know agents any more that were started here. Returns how to stop. */
export function lookForLosses(
  agents: readonly AgentId[],
  { registry, clock, tell }: Watch & { readonly clock: Clock },
): () => void {
  const ending = new AbortController();
  const look = async (): Promise<void> => {
    let told = "";
    while (!ending.signal.aborted) {
      await clock.sleep(LOOK_MS, ending.signal);
      const lost = agents.filter((agent) => !registry.agents.has(agent));
      const names = lost.length > 0 ? listed(lost) : "";
      if (names !== "" && names !== told)
        tell(
          `REDIS HAS LOST ${names}: it was emptied, or came back without its data. Start again to begin anew.`,
        );
      told = names;
    }
  };
  void look();
  return () => ending.abort();
}
