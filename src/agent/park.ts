// Stops an agent, with a reason that holds across restarts, and lets Control know.

import type { Shared } from "./parts/agent.ts";
import type { Writing } from "../mail/log-access.ts";
import { compose } from "../mail/compose.ts";
import type { NoticeReason } from "../domain/event/event.ts";
import { CONTROL } from "../domain/message/message.ts";

/** Whoever can be stopped. */
interface Stoppable extends Writing {
  readonly shared: Shared;
}

/** Stops the agent until what `reason` names wakes it. */
export async function park(agent: Stoppable, reason: NoticeReason, content: string): Promise<void> {
  const { memory, outbox, shared } = agent;
  // Tells Control, in the same commit; not while it knows of the same trouble from another agent.
  const to = shared.isNews(memory.agent, content) ? [CONTROL] : [];
  const report = { from: memory.agent, to, content: `I was stopped: ${content}`, spontaneous: true } as const;
  const sends = compose(memory, report, [], shared.clock.now());
  await memory.commit({ kind: "notice", reason, content, sends });
  void outbox.deliver();
}
