// Agents that wait for each other and for nobody else, as people are told of them.

import { displayName, isMessageId, parseMessageId, type AgentId } from "./message.ts";

/** Two agents or more. */
export interface Knot {
  readonly agents: readonly AgentId[];
  /** Ids of what is open between them, by who sent it. */
  readonly open: readonly string[];
}

/** What a person can do about one. */
export const UNTIED = "A word of yours to one of them unties it.";

/** So many waits are named. */
const MOST_NAMED = 20;

/** A sentence: who waits for whose answer, to which message. */
export function describeKnot({ agents, open }: Knot): string {
  const waits = open.slice(0, MOST_NAMED).map((id) => {
    if (!isMessageId(id)) return id;
    const { from, to } = parseMessageId(id);
    return `${displayName(from)} for ${displayName(to)} (${id})`;
  });
  const more = open.length > MOST_NAMED ? [`${open.length - MOST_NAMED} more`] : [];
  const who = agents.length > MOST_NAMED ? `${agents.length} agents` : agents.map(displayName).join(", ");
  return `${who} wait for each other's answers, and none of them goes on by itself: ${[...waits, ...more].join(", ")}.`;
}
