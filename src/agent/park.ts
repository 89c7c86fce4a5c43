// Stops an agent, with a reason that holds across restarts, and lets Control know.

import type { Shared, Thinker } from "./parts/agent.ts";
import { sendUnfinished } from "./think/answer.ts";
import type { Writing } from "../mail/log-access.ts";
import { compose } from "../mail/compose.ts";
import type { NoticeReason } from "../domain/event/event.ts";
import { CONTROL, type Message } from "../domain/message/message.ts";

/** Whoever can be stopped. */
interface Stoppable extends Writing {
  readonly shared: Shared;
}

/** Stops the agent until what `reason` names wakes it. */
export async function park(agent: Stoppable, reason: NoticeReason, content: string): Promise<void> {
  const { memory, outbox } = agent;
  await memory.commit({ kind: "notice", reason, content, sends: reportTo(agent, content, []) });
  void outbox.deliver();
}

/** The same in the middle of its work: whoever asked gets what there is of an answer that was cut off. */
export async function parkAtWork(
  agent: Stoppable & Thinker,
  reason: NoticeReason,
  content: string,
): Promise<void> {
  const { memory, outbox } = agent;
  const unfinished = await sendUnfinished(agent);
  const refused = unfinished.refusal ? [unfinished.refusal.notice] : [];
  const sends = [...unfinished.sends, ...reportTo(agent, content, unfinished.sends)];
  await memory.commit(...refused, { kind: "notice", reason, content, sends });
  void outbox.deliver();
}

/** Tells Control, in the same commit; not while it knows of the same trouble from another agent. */
function reportTo(
  { memory, shared }: Stoppable,
  content: string,
  staged: readonly Message[],
): readonly Message[] {
  const to = shared.isNews(memory.agent, content) ? [CONTROL] : [];
  const report = { from: memory.agent, to, content: `I was stopped: ${content}`, spontaneous: true } as const;
  return compose(memory, report, staged, shared.clock.now());
}
