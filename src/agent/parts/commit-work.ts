// How a decision and a result come into the log: in one commit with what they send.

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
  await memory.commit(...refused, event).finally(() => model.settle(call));
  void outbox.deliver();
  await shared.announceHops(memory.agent, refused);
}
