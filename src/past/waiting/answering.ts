// What an agent may say that it answers, and how its reader is shown it.

import { quote } from "../../base/text/wording.ts";
import {
  answersOf,
  declinesOf,
  MOST_ANSWERED,
  needsAnswer,
  type Answering,
} from "../../domain/message/answering.ts";
import {
  isMessageId,
  messageId,
  parseMessageId,
  type AgentId,
  type Message,
} from "../../domain/message/message.ts";
import type { Waiting } from "./waiting.ts";

/** Why a letter of `agent` to `to` may not say that, a sentence with the way out; `undefined` if it may. */
export function mistakeIn(
  { needsAnswer: isNeeded, answers = [], declines = [] }: Answering,
  agent: AgentId,
  to: readonly AgentId[],
  { asked, heard }: Pick<Waiting, "asked" | "heard">,
): string | undefined {
  const busy = isNeeded && askedTooOften(asked, to);
  if (busy)
    return `Agent ${busy} has ${MOST_ANSWERED} unanswered messages of yours that need answers: wait for one, or send this without \`needsAnswer\`.`;
  const isHeard = (id: string): boolean => {
    if (!isMessageId(id)) return false;
    const { from, to: reader, n } = parseMessageId(id);
    return (
      reader === agent && n > 0 && n <= (heard.get(from) ?? 0) && messageId({ from, to: reader, n }) === id
    );
  };
  const all = [...answers, ...declines];
  const unheard = all.find((id) => !isHeard(id));
  if (unheard !== undefined)
    return `You got no message ${quote(unheard)}. Name ids as they stand above messages that need an answer, or none.`;
  const both = answers.find((id) => declines.includes(id));
  if (both !== undefined) return `Answer ${both} or decline it, not both.`;
  const other = all.find((id) => !to.includes(parseMessageId(id).from));
  if (other === undefined) return undefined;
  const { from } = parseMessageId(other);
  return `${other} came from agent ${from}: answer it in a message to ${from}.`;
}

/** Who of `to` has as many open messages as one answer can close. */
function askedTooOften(asked: Waiting["asked"], to: readonly AgentId[]): AgentId | undefined {
  const counts = new Map(to.map((id) => [id, 0]));
  for (const request of asked.values()) counts.set(request.to, (counts.get(request.to) ?? 0) + 1);
  return to.find((id) => counts.get(id)! >= MOST_ANSWERED);
}

/** What of it is for `to`. */
export function answeringTo({ answers, declines, ...asking }: Answering, to: AgentId): Answering {
  const theirs = (ids: readonly string[] = []) =>
    ids.filter((id) => isMessageId(id) && parseMessageId(id).from === to);
  const [answered, declined] = [theirs(answers), theirs(declines)];
  return {
    ...(asking.needsAnswer && { needsAnswer: true }),
    ...(answered.length > 0 && { answers: answered }),
    ...(declined.length > 0 && { declines: declined }),
  };
}

/** What stands below the header of a message; mostly nothing. */
export function answeringLines(message: Message): readonly string[] {
  const [answers, declines] = [answersOf(message), declinesOf(message)];
  return [
    ...(answers.length > 0 ? [`(Answers your ${answers.join(", ")}.)`] : []),
    ...(declines.length > 0 ? [`(Declines to answer your ${declines.join(", ")}.)`] : []),
    ...(needsAnswer(message) ? [`(Needs an answer, to ${message.id}.)`] : []),
  ];
}
