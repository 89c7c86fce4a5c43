// Whose answer an agent waits for, and who waits for its own: one pure fold over the active branch of its log.
//
//   W6. A message that needs an answer is open until one of its recipient that the agent took in answers or declines it, it turns
//       out that it cannot be delivered, or, where it went to a person, until they say something.

import { sendsOf, type Event } from "../../domain/event/event.ts";
import { isMemoryId } from "../../domain/memory/memory-id.ts";
import { answersOf, declinesOf, needsAnswer } from "../../domain/message/answering.ts";
import {
  CONTROL,
  isPersons,
  parseMessageId,
  type AgentId,
  type Message,
} from "../../domain/message/message.ts";
import { buriedBy } from "../mail/dead-letters.ts";

/** A message of the agent that needs an answer and has none. */
export interface OpenRequest {
  readonly to: AgentId;
  /** ISO 8601: when it was sent. */
  readonly since: string;
  /** A person has spoken to the agent since: they know of it, and by itself it makes no knot. */
  readonly isUntied?: true;
}

export interface Waiting {
  /** By its id; oldest first. */
  readonly asked: Map<string, OpenRequest>;
  /** Ids of the messages that it was shown, that need an answer and that it has not answered; oldest first. */
  readonly owed: Set<string>;
  /** By sender, the highest number that it was shown. */
  readonly heard: Map<AgentId, number>;
}

export function createWaiting(): Waiting {
  return { asked: new Map(), owed: new Set(), heard: new Map() };
}

/** Takes a message into account that is shown, whichever its lane. */
export function hearAnswers({ asked, owed, heard }: Waiting, message: Message): void {
  const { from, n } = parseMessageId(message.id);
  heard.set(from, Math.max(n, heard.get(from) ?? 0));
  for (const id of [...answersOf(message), ...declinesOf(message)]) asked.delete(id);
  if (needsAnswer(message)) owed.add(message.id);
  if (!isPersons(message)) return;
  for (const [id, request] of asked)
    if (request.to === CONTROL) asked.delete(id);
    else asked.set(id, { ...request, isUntied: true });
}

/** Takes one event into account, but for mail. Events come in the order of the log. */
export function foldWaiting({ asked, owed, heard }: Waiting, event: Event): void {
  // What stands before it is another agent's past.
  if (event.kind === "branch" && event.origin !== undefined)
    for (const part of [asked, owed, heard]) part.clear();
  for (const message of sendsOf(event)) {
    const { to } = parseMessageId(message.id);
    if (needsAnswer(message) && !isMemoryId(to)) asked.set(message.id, { to, since: event.at });
    for (const id of [...answersOf(message), ...declinesOf(message)]) owed.delete(id);
  }
  // Its grave is named by its id first.
  const grave = event.kind === "notice" ? buriedBy(event) : undefined;
  if (grave !== undefined) asked.delete(grave.split(" ", 1)[0]!);
}

/** Those of `owed` that `to` sent. */
export function owedTo({ owed }: Waiting, to: AgentId): readonly string[] {
  return [...owed].filter((id) => parseMessageId(id).from === to);
}
