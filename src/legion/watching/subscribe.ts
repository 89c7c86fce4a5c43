import type { Inspector } from "../../domain/inspection.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { AgentEvent } from "./agent-event.ts";
import { createAgentEventFold } from "./fold.ts";

/** Told of what happens while it happens: it should be quick. One that throws, or rejects, is told nothing more. */
export type AgentListener = (event: AgentEvent) => unknown;

/** Tells `listener` what happens to an agent from now on. Returns how to stop. */
export function subscribeToAgent(
  inspector: Pick<Inspector, "watch">,
  agent: AgentId,
  listener: AgentListener,
): () => void {
  const fold = createAgentEventFold(agent);
  let isOver = false;
  const unwatch = inspector.watch((seen) => {
    for (const event of fold(seen)) {
      // One inspection may make several events, and the listener may have had enough.
      if (isOver) return;
      const answer = listener(event);
      if (answer instanceof Promise) answer.catch(end);
    }
  });
  const end = (): void => {
    isOver = true;
    unwatch();
  };
  return end;
}
