// The protocol of a conversation that a program has: it is begun, each message is processed, it is ended.

import type { LegionAgent } from "../agent.ts";
import type { ChatMessage } from "./invoking.ts";

/** A message, and the conversation that it is part of. */
export interface ConversationMessage extends ChatMessage {
  readonly threadId: string;
}

/**
 * Has a scribe keep conversations that a program has, any number of them beside each other. What is processed is entered word for
 * word, and with every sixth message of a conversation since its beginning the memory's context is made anew; the count outlives
 * the program.
 *
 * Each call resolves when what it is for is durable; it rejects as `LegionAgent.invoke` does. Calls are carried out in the order in
 * which they are made, so they need not be waited for one by one.
 */
export interface Invoker {
  /** The newest entries and the context of the memory are read for it; it counts from 0, whatever was before. */
  startSession(threadId: string): Promise<void>;
  /** Begins the session if nobody did. */
  processConversationMessage(message: ConversationMessage): Promise<void>;
  /** The memory's context is made anew of all that was said, if anything was. */
  endSession(threadId: string): Promise<void>;
}

/**
 * @example
 * const invoker = createInvoker(await legion.spawn("scribe"));
 * await invoker.startSession("support-17");
 * await invoker.processConversationMessage({ threadId: "support-17", role: "user", content: "My boat leaks." });
 * await invoker.endSession("support-17");
 * console.log((await legion.memory("main/legion").context())?.content);
 */
export function createInvoker(scribe: Pick<LegionAgent, "invoke">): Invoker {
  return {
    startSession: (threadId) => scribe.invoke("start_session", threadId),
    processConversationMessage: ({ threadId, ...message }) =>
      scribe.invoke("process_message", threadId, message),
    endSession: (threadId) => scribe.invoke("end_session", threadId),
  };
}
