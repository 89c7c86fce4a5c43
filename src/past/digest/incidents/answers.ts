// What agents said to the person, by the first message that it was about: in their own log, whose words stay there.

import { z } from "zod";
import { fieldsOf } from "../../../base/text/json.ts";
import type { Event } from "../../../domain/event/event.ts";
import { CONTROL, parseMessageId, type AgentId, type Message } from "../../../domain/message/message.ts";

export interface AnswerPlace {
  /** Who said the newest. */
  readonly from: AgentId;
  /** The event that took it in. */
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  /** How many there are. */
  readonly count: number;
}

/** By first message: the newest that was said of it. */
export type AnswerPlaces = ReadonlyMap<string, AnswerPlace>;

/** Of those that were answered last. */
const MOST_ANSWERS = 2_000;

export const answersSchema = z.array(
  z.tuple([z.string(), z.object({ from: z.string(), seq: z.int(), at: z.string(), count: z.int() })]),
);

export function createAnswers(kept: z.output<typeof answersSchema> = []) {
  const answers = new Map<string, AnswerPlace>(kept);
  return {
    answers: answers as AnswerPlaces,
    see(event: Event): void {
      if (event.kind === "branch" && event.origin !== undefined) answers.clear();
      if (event.kind !== "message" || !isAnswer(event.message)) return;
      const { id, root } = event.message;
      const { seq, at } = event;
      const count = (answers.get(root)?.count ?? 0) + 1;
      answers.delete(root);
      answers.set(root, { from: parseMessageId(id).from, seq, at, count });
      const [oldest] = answers.size > MOST_ANSWERS ? answers.keys() : [];
      if (oldest !== undefined) answers.delete(oldest);
    },
    pack: (): z.output<typeof answersSchema> => [...answers],
  };
}

/** Did an agent say it to the person, and is it no question? */
export function isAnswer({
  id,
  root,
  type,
  details,
}: Pick<Message, "id" | "root" | "type" | "details">): boolean {
  return (
    id !== root &&
    type !== "spontaneous" &&
    parseMessageId(id).to === CONTROL &&
    typeof fieldsOf(details)["question"] !== "string"
  );
}
