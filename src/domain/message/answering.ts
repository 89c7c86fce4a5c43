// Which messages wait for an answer, and what they answer. Whoever wrote a message says so in it, and may say anything: read its
// fields with these.

import { CONTROL, isFromControl, isMessageId, parseMessageId, type Message } from "./message.ts";

/** What a letter says of answers. */
export interface Answering {
  /** Its sender waits for an answer of each of its recipients. */
  readonly needsAnswer?: true;
  /** Ids of messages that it answers, each in the message to who sent that. */
  readonly answers?: readonly string[];
  readonly declines?: readonly string[];
}

/** What a module says of it: no compiler looks after those in plain JavaScript. */
export function readAnswering(said: Answering | undefined): Answering {
  const { needsAnswer: isNeeded, answers, declines } = said ?? {};
  return {
    ...(isNeeded === true && { needsAnswer: true }),
    ...(Array.isArray(answers) && { answers }),
    ...(Array.isArray(declines) && { declines }),
  };
}

/** So many messages one can answer. */
export const MOST_ANSWERED = 64;

/** Does its sender wait for an answer to it? Nobody waits for one to what a person, the runtime or another program says. */
export function needsAnswer(message: Pick<Message, "id" | "needsAnswer">): boolean {
  return message.needsAnswer === true && !isFromControl(message);
}

/** The messages of its recipient that it answers; of somebody else's it can answer none. */
export function answersOf({ id, answers }: Pick<Message, "id" | "answers">): readonly string[] {
  return toRecipient(id, answers);
}

/** The same of those that it declines to answer. */
export function declinesOf({ id, declines }: Pick<Message, "id" | "declines">): readonly string[] {
  return toRecipient(id, declines);
}

function toRecipient(id: string, named: unknown): readonly string[] {
  if (!Array.isArray(named)) return [];
  const { from, to } = parseMessageId(id);
  if (from === CONTROL) return [];
  const isTheirs = (one: unknown): one is string => {
    if (!isMessageId(one)) return false;
    const answered = parseMessageId(one);
    return answered.from === to && answered.to === from;
  };
  return [...new Set((named as readonly unknown[]).slice(0, MOST_ANSWERED).filter(isTheirs))];
}
