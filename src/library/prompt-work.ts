// What an agent does from a message on: the answer that it comes to, and what that takes.

import { addUsage, NO_USAGE, sendsOf, type Event, type Usage } from "../domain/event/event.ts";
import type { Inspector } from "../domain/inspection.ts";
import { CONTROL, laneOf, parseMessageId, type AgentId, type Message } from "../domain/message/message.ts";

/** What came of a prompt. */
export interface PromptAnswer {
  /** What the agent said to you last, whole; where it sent nothing, what its last decision says. May be empty. */
  readonly text: string;
  /** Tokens of every model call until the agent rested, those of actions and summaries included. */
  readonly usage: Omit<Usage, "cost">;
  /** US dollars of the same; absent where the price of a model is unknown. */
  readonly cost?: number;
  /** `aborted`: a person, or this program, stopped it. */
  readonly reason: "completed" | "aborted";
  /** What `text` is from; absent: it sent nothing. */
  readonly message?: Message;
}

export interface PromptWork {
  see(event: Event): void;
  answer(): PromptAnswer;
}

export interface WatchedWork {
  /** What the agent did since it took in the message `id`; `undefined` before that. */
  of(id: string): PromptWork | undefined;
  close(): void;
}

/** Watches from now on what `agent` does with the messages that it takes in. */
export function watchWork({ watch }: Inspector, agent: AgentId): WatchedWork {
  const works = new Map<string, PromptWork>();
  const unwatch = watch((seen) => {
    if (seen.kind !== "event" || seen.agent !== agent) return;
    const { event } = seen;
    for (const work of works.values()) work.see(event);
    const isBeginning = event.kind === "message" && laneOf(event.message) === "normal";
    if (isBeginning && parseMessageId(event.message.id).from === CONTROL)
      works.set(event.message.id, createWork());
  });
  return { of: (id) => works.get(id), close: unwatch };
}

function createWork(): PromptWork {
  let usage = NO_USAGE;
  let said = "";
  let message: Message | undefined;
  let reason: PromptAnswer["reason"] = "completed";
  return {
    see(event) {
      if (event.kind === "decision") {
        usage = addUsage(usage, { ...event.usage, cost: event.cost });
        said = event.text;
        reason = event.stop === "aborted" ? "aborted" : "completed";
      } else if (event.kind === "result" || event.kind === "summary") {
        if (event.usage) usage = addUsage(usage, event.usage);
      } else if (event.kind === "message" && laneOf(event.message) === "abort") reason = "aborted";
      if (event.kind === "decision" || event.kind === "result")
        message = sendsOf(event).findLast(({ id }) => parseMessageId(id).to === CONTROL) ?? message;
    },
    answer() {
      const { cost, ...tokens } = usage;
      return { text: message?.content ?? said, usage: tokens, cost, reason, message };
    },
  };
}
