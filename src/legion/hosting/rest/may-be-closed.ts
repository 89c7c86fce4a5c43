// Whether an agent may be closed: all that it is, its log says, and nothing of it is under way.

import type { Agent } from "../../../agent/parts/agent.ts";
import { isResting } from "../../../past/waiting/resting.ts";

/** Has it nothing to do and nothing to deliver, does it wait for nothing but mail, and does nothing run for it? */
export function mayBeClosed(agent: Agent): boolean {
  const { memory, outbox, background, sources, inbox } = agent;
  const { conversation } = memory;
  const { run } = conversation;
  const isWatched = run.mode !== "usual" || run.modeBy !== undefined;
  if (isWatched || sources || memory.isDead()) return false;
  if (inbox.unread > 0 || !isResting(conversation)) return false;
  return outbox.undelivered().length === 0 && !background.isRunning();
}
