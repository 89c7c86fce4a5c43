// How a decision and a result come into the log: in one commit with what they send. Where they send nothing, nobody else sees them
// yet, and they are flushed with what follows (L4).

import type { Agent } from "./agent.ts";
import type { DecisionEvent, ResultEvent } from "../../domain/event/event.ts";
import type { Undeliverable } from "../../past/mail/dead-letters.ts";

/** Commits what the agent decided or did, and lets its messages go. Rejects when the log fails. */
export async function commitWork(
  agent: Agent,
  event: DecisionEvent | ResultEvent,
  refused: readonly Undeliverable[],
): Promise<void> {
  const { memory, model, outbox, shared } = agent;
  // What was refused goes first: a crash in the middle of the commit may keep it twice, but never loses it.
  const call = event.kind === "result" ? (event.call ?? undefined) : undefined;
  const add = isShown(event) || refused.length > 0 ? memory.commit : memory.keep;
  await add(...refused, event).finally(() => model.settle(call));
  void outbox.deliver();
  await shared.announceHops(memory.agent, refused);
}

/** Do others read what it sends, or people the files of what it changed? */
function isShown(event: DecisionEvent | ResultEvent): boolean {
  const isChange = event.kind === "result" && (event.state?.length ?? 0) > 0;
  return isChange || (event.sends?.length ?? 0) > 0;
}
