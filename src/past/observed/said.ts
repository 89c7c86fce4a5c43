// What two said to each other, as the log of one of them has it: messages and plain answers of people and agents.

import { sendsOf, type Event } from "../../domain/event/event.ts";
import {
  laneOf,
  parseMessageId,
  type AgentId,
  type LogId,
  type Message,
} from "../../domain/message/message.ts";

export interface SaidMessage {
  readonly message: Message;
  /** The log that numbered it. */
  readonly from: LogId;
}

/**
 * What `event` says, in the log of `agent` that has the name `log` there; mostly nothing. What was copied from another's log is not
 * said again. Heartbeats, verdicts, aborts, questions and what goes to a memory are no words of anybody.
 */
export function saidIn(event: Event, { agent, log }: { readonly agent: AgentId; readonly log: LogId }) {
  return heardOrSent(event, log).filter(({ message }) => isSaid(message, agent, event.kind));
}

function heardOrSent(event: Event, log: LogId): readonly SaidMessage[] {
  if (event.kind === "message") return [{ message: event.message, from: event.from }];
  if (event.kind !== "decision" && event.kind !== "result") return [];
  return sendsOf(event).map((message) => ({ message, from: log }));
}

function isSaid(message: Message, agent: AgentId, kind: Event["kind"]): boolean {
  const { from, to } = parseMessageId(message.id);
  const lane = laneOf(message);
  return (
    (kind === "message" ? to : from) === agent &&
    message.type === "agentToAgent" &&
    message.source.type === "agent" &&
    lane !== "verdict" &&
    lane !== "abort" &&
    !to.includes("/") &&
    message.content.trim() !== ""
  );
}

/** The two between whom it was said. */
export function threadOf({ id }: Pick<Message, "id">): string {
  const { from, to } = parseMessageId(id);
  return [from, to].sort().join(",");
}
