// Stops an agent, with a reason that holds across restarts, and lets Control know.

import type { Agent } from "./parts/agent.ts";
import { compose } from "../mail/compose.ts";
import type { NoticeReason } from "../domain/event.ts";
import { CONTROL, type Message } from "../domain/message.ts";

/** Stops the agent until what `reason` names wakes it. */
export async function park(agent: Agent, reason: NoticeReason, content: string): Promise<void> {
  const sends = report(agent, content);
  await agent.memory.commit({ kind: "notice", reason, content, sends });
  void agent.outbox.deliver();
}

/** Tells Control, in the same commit; not while it knows of the same trouble from another agent. */
function report(agent: Agent, trouble: string): readonly Message[] {
  const { memory, identity, shared } = agent;
  if (!shared.isNews(identity.id, trouble)) return [];
  const content = `I was stopped: ${trouble}`;
  const letter = { from: identity.id, to: [CONTROL], content, spontaneous: true } as const;
  return compose(memory, letter, [], shared.clock.now());
}
