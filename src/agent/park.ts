// Stops an agent, with a reason that holds across restarts, and lets Control know.

import type { Shared } from "./parts/agent.ts";
import type { Writing } from "../mail/log-access.ts";
import { compose } from "../mail/compose.ts";
import type { NoticeReason } from "../domain/event.ts";
import { CONTROL, type Message } from "../domain/message.ts";

/** Whoever can be stopped. */
interface Stoppable extends Writing {
  readonly shared: Shared;
}

/** Stops the agent until what `reason` names wakes it. */
export async function park(agent: Stoppable, reason: NoticeReason, content: string): Promise<void> {
  const sends = report(agent, content);
  await agent.memory.commit({ kind: "notice", reason, content, sends });
  void agent.outbox.deliver();
}

/** Tells Control, in the same commit; not while it knows of the same trouble from another agent. */
function report({ memory, shared }: Stoppable, trouble: string): readonly Message[] {
  if (!shared.isNews(memory.agent, trouble)) return [];
  const content = `I was stopped: ${trouble}`;
  const letter = { from: memory.agent, to: [CONTROL], content, spontaneous: true } as const;
  return compose(memory, letter, [], shared.clock.now());
}
