// What a person at a node should hear of: agents that come and go, and those that cannot be here. In few words, for a
// thousand agents as for one.

import { displayName, type AgentId } from "../../../domain/message.ts";

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
