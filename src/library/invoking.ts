// What a program has an observer do, and when that is done.

import { LegionError } from "../base/errors.ts";
import { invocationOrder, processes } from "../domain/event/invoking.ts";
import type { ControlState } from "../domain/event/observed.ts";
import type { Inspect } from "../domain/inspection.ts";
import type { EntryRole } from "../domain/memory/record.ts";
import { displayName } from "../domain/message/message.ts";
import { RULES } from "../domain/supervision.ts";
import { until } from "../legion/quiescence.ts";
import { read } from "./options.ts";
import { checkText } from "./prompt.ts";
import { stateOf, type WorkingAgent } from "./work-state.ts";

/** A message of a conversation that a program has. */
export interface ChatMessage {
  readonly role: EntryRole;
  /** Kept word for word. */
  readonly content: string;
  /** Who said it, in one line; absent: the role. */
  readonly speaker?: string;
  /** When it was said, ISO 8601; absent: now. */
  readonly said?: string;
}

/** What it rejects with stands at `LegionAgent.invoke`. */
export type InvokeFunction = (
  control: ControlState,
  threadId: string,
  toProcess?: ChatMessage,
) => Promise<void>;

/** Returns what has an observer do one thing after the other, in the order in which it is called. */
export function createInvoke(observer: WorkingAgent): InvokeFunction {
  const { id, legion, find } = observer;
  return async (control, threadId, toProcess) => {
    const { content, ...message } = toProcess ?? {};
    const order = read("invoke", invocationOrder, { control, thread: threadId, ...message });
    if (processes(order)) checkText("invoke", content ?? "");
    else if (toProcess) throw new LegionError("USAGE", `invoke: ${control} takes no message`);
    const before = stateOf(observer);
    if (before.kind === "stuck") throw before.error;
    if (find()?.agent && !find()?.agent?.sources)
      throw new LegionError(
        "USAGE",
        `${displayName(id)} observes nothing; \`spawn("scribe")\` runs who does`,
      );
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
  };
}

/** Which orders are done, from now on. */
function watchDone({ id, legion: { inspector } }: WorkingAgent) {
  const done = new Set<string>();
  let open: string | undefined;
  const see: Inspect = (seen) => {
    if (seen.kind !== "event" || seen.agent !== id) return;
    const { event } = seen;
    if (event.kind === "observed" && event.control !== "observe") open = event.message?.id;
    else if (
      event.kind === "decision" &&
      event.model === RULES &&
      event.calls.length === 0 &&
      open !== undefined
    ) {
      done.add(open);
      open = undefined;
    }
  };
  return { has: (message: string): boolean => done.has(message), close: inspector.watch(see) };
}
