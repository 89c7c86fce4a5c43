// What a program has an observer do.

import { LegionError } from "../../base/errors.ts";
import { invocationOrder, processes } from "../../domain/event/invoking.ts";
import type { ControlState } from "../../domain/event/observed.ts";
import type { EntryRole } from "../../domain/memory/record.ts";
import { displayName } from "../../domain/message/message.ts";
import { invoke } from "../../legion/observing/invoke.ts";
import type { WorkingAgent } from "../../legion/observing/work-state.ts";
import { read } from "../options.ts";
import { checkText } from "../prompt.ts";

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
  return async (control, threadId, toProcess) => {
    const { content, ...message } = toProcess ?? {};
    const order = read("invoke", invocationOrder, { control, thread: threadId, ...message });
    if (processes(order)) checkText("invoke", content ?? "");
    else if (toProcess) throw new LegionError("USAGE", `invoke: ${control} takes no message`);
    const agent = observer.find()?.agent;
    if (agent && !agent.sources)
      throw new LegionError(
        "USAGE",
        `${displayName(observer.id)} observes nothing; \`spawn("scribe")\` runs who does`,
      );
    return invoke(observer, order, content);
  };
}
