// Has an observer do something, and tells when that is done.

import type { InvocationOrder } from "../../domain/event/invoking.ts";
import type { Inspect } from "../../domain/inspection.ts";
import { RULES } from "../../domain/supervision.ts";
import { until } from "../quiescence.ts";
import { stateOf, type WorkingAgent } from "./work-state.ts";

/**
 * Resolves when it is done and durable. Orders are carried out as they were given, also those that nobody waits for. Rejects where
 * the observer cannot go on by itself: what it was ordered waits until it does.
 */
export async function invoke(
  observer: WorkingAgent,
  order: InvocationOrder,
  content?: string,
): Promise<void> {
  const { id, legion } = observer;
  const before = stateOf(observer);
  if (before.kind === "stuck") throw before.error;
  const done = watchDone(observer);
  try {
    const ordered = await legion.control.invoke(id, order, content);
    const isOver = (): boolean => done.has(ordered) || stateOf(observer).kind === "stuck";
    await until(isOver, legion.inspector.watch, new AbortController().signal);
    const after = stateOf(observer);
    if (!done.has(ordered) && after.kind === "stuck") throw after.error;
  } finally {
    done.close();
  }
}

/** Which orders are done, from now on. */
function watchDone({ id, legion: { inspector } }: WorkingAgent) {
  const done = new Set<string>();
  let open: string | undefined;
  const see: Inspect = (seen) => {
    if (seen.kind !== "event" || seen.agent !== id) return;
    const { event } = seen;
    // What was stopped by an abort goes on without being named again.
    if (event.kind === "observed" && event.control !== "observe") open = event.message?.id ?? open;
    const isEnd = event.kind === "decision" && event.model === RULES && event.calls.length === 0;
    if (!isEnd || open === undefined) return;
    done.add(open);
    open = undefined;
  };
  return { has: (message: string): boolean => done.has(message), close: inspector.watch(see) };
}
