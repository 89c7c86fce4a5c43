// What a person at a node should hear of: agents that come and go, those that cannot be here, and those that are gone. In few
// words, for a thousand agents as for one.

import type { Clock } from "../../../base/clock.ts";
import { displayName, type AgentId } from "../../../domain/message/message.ts";
import type { WorkspaceId } from "../../folder/workspace.ts";
import type { Registry } from "../cluster/directory.ts";
import { boundTo } from "./registration.ts";

export interface NodeNews {
  /** From now on moves are told of; those before are what everybody expects. */
  begin(): void;
  moved(agent: AgentId, where: "here" | "away"): void;
  /** Tells nothing any more. */
  end(): void;
}

/** What happens within this time is told of together. */
const TOGETHER_MS = 500;
const MAX_NAMED = 10;

export function createNodeNews(tell: (text: string) => void): NodeNews {
  let state: "quiet" | "telling" = "quiet";
  const moves = new Map<AgentId, "here" | "away">();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    const told = [...moves];
    moves.clear();
    if (state === "quiet") return;
    for (const [where, words] of [
      ["here", "here now"],
      ["away", "elsewhere now, or wait for a node"],
    ] as const) {
      const agents = told.filter(([, to]) => to === where).map(([agent]) => agent);
      if (agents.length > 0) tell(`${listed(agents)}: ${words}.`);
    }
  };
  return {
    begin() {
      moves.clear();
      state = "telling";
    },
    moved(agent, where) {
      // Whoever went and came back within the time has not moved.
      if (moves.has(agent) && moves.get(agent) !== where) moves.delete(agent);
      else moves.set(agent, where);
      timer ??= setTimeout(flush, TOGETHER_MS).unref();
    },
    end: () => void (state = "quiet"),
  };
}

/** Their names, or the first of them and how many more. */
export function listed(agents: readonly AgentId[]): string {
  const named = agents.slice(0, MAX_NAMED).map(displayName).join(", ");
  return agents.length > MAX_NAMED ? `${named} and ${agents.length - MAX_NAMED} more` : named;
}

interface Watch {
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
      const names = listed(agents.filter((agent) => !registry.agents.has(agent)));
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
