// In whose name a message comes, and an agent acts: the agents of the chain of messages since a person spoke. Nobody of
// them means a person's own.

import { CONTROL, isAgentId, parseMessageId, type AgentId, type Message } from "./message.ts";

/** What a message to thousands can carry. */
const MAX_NAMES = 256;
/** Stands for all past that. No agent bears it, so it has the rights of one that is gone. */
const OTHERS: AgentId = "all";

/**
 * The agents in whose name `message` comes, its sender the last; empty for what a person or the runtime says. That its
 * sender is one of them no message can hide, and none of earlier versions says it.
 */
export function authorityOf({ id, authority }: Pick<Message, "id" | "authority">): readonly AgentId[] {
  const { from } = parseMessageId(id);
  return from === CONTROL ? [] : writtenBy(from, authority);
}

/** The same of what the agent `sender` writes, whatever stands in `authority`. */
export function writtenBy(sender: AgentId, authority: unknown): readonly AgentId[] {
  const named: readonly unknown[] = Array.isArray(authority) ? authority : [];
  const others = named.filter((name): name is AgentId => typeof name === "string" && isName(name));
  return joinAuthority(
    others.filter((name) => name !== sender),
    [sender],
  );
}

/** All of them, each once, in order. */
export function joinAuthority(...names: readonly (readonly AgentId[])[]): readonly AgentId[] {
  const joined = new Set(names.flat());
  if (joined.size <= MAX_NAMES) return [...joined];
  // Whoever came last is the sender.
  const last = names.flat().at(-1)!;
  const first = [...joined].filter((name) => name !== OTHERS && name !== last).slice(0, MAX_NAMES - 2);
  return [...first, OTHERS, last];
}

function isName(name: string): boolean {
  return isAgentId(name) || name === OTHERS;
}
