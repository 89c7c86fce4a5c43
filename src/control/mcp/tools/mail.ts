// Mail as programs see it: the numbers are those of the events of log 0.

import { z } from "zod";
import type { Event } from "../../../domain/event/event.ts";
import { isAgentId, parseMessageId, type AgentId } from "../../../domain/message/message.ts";
import { sourcesOf } from "../../../domain/message/taint.ts";
import { boundedText } from "../bounds.ts";

export const letterSchema = z.object({
  number: z.number(),
  id: z.string(),
  from: z.string(),
  at: z.string(),
  text: z.string(),
  answers: z.string().optional().describe("The id of the message that it answers."),
  outside: z.array(z.string()).optional().describe("What from outside its sender had read before."),
});
export type ShownLetter = z.output<typeof letterSchema>;

/** What agents, or one of them, said to Control in `events` of log 0. */
export async function* lettersIn(events: AsyncIterable<Event>, agent?: AgentId): AsyncGenerator<ShownLetter> {
  for await (const event of events) {
    if (event.kind !== "message") continue;
    const { id, content, sentAt, re, taint } = event.message;
    const sender = parseMessageId(id).from;
    if (!isAgentId(sender) || (agent !== undefined && sender !== agent)) continue;
    const outside = sourcesOf(taint);
    yield {
      number: event.seq,
      id,
      from: sender,
      at: sentAt,
      text: boundedText(content),
      answers: re,
      outside: outside.length > 0 ? [...outside] : undefined,
    };
  }
}
