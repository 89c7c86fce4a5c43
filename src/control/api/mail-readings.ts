// What can be read of what agents say to each other: part of the table of readings.

import { z } from "zod";
import { MAIL_LANES } from "../../domain/message/message.ts";
import { MAIL_FATES } from "../../past/digest/fates.ts";
import { past } from "./past-question.ts";

const party = z.string().describe("An agent, a memory, or 0 for the person.");

const mail = {
  id: z.string(),
  from: party,
  to: party,
  at: z.string().describe("ISO 8601: when it was sent."),
  root: z.string().describe("The first message of its chain."),
  lane: z.enum(MAIL_LANES),
  spontaneous: z.boolean().describe("The runtime said it, in its sender's name."),
  state: z
    .enum(MAIL_FATES)
    .describe(
      "sent: on its way; delivered: in the mailbox; held: taken in, to be shown later; taken: taken in; undelivered: nobody will " +
        "act on it.",
    ),
  why: z.string().nullable().describe("Why it is undelivered."),
  opening: z.string().describe("How it begins, on one line."),
  chars: z.number().describe("The length of its text."),
  event: z
    .object({ agent: z.string(), seq: z.number() })
    .describe("Whose log has its text, and in which event."),
};
const unread = z
  .array(z.object({ agent: z.string(), why: z.string() }))
  .readonly()
  .describe("Whose logs cannot be read: what they did is missing.");

export const MAIL_READINGS = {
  conversation: {
    path: "/conversation",
    summary: "Who talks to whom, those that say most first, and the newest messages, newest first.",
    question: z.strictObject({
      of: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("messages to and from this agent alone, or 0 for the person"),
      ...past,
    }),
    answer: z.object({
      pairs: z
        .array(
          z.object({
            from: party,
            to: party,
            sent: z.number().describe("How many were sent, also those that are undelivered."),
            taken: z.number().describe("How many were taken in."),
            newest: z.string().describe("ISO 8601: when the newest was sent or taken in."),
          }),
        )
        .readonly(),
      otherPairs: z.number().describe("How many more pairs there are, which say least."),
      messages: z.array(z.object(mail)).readonly(),
      since: z
        .string()
        .nullable()
        .describe(
          "From then on these are all that were asked for; of earlier ones some are missing. Null: none are missing.",
        ),
      unread,
    }),
  },
  chain: {
    path: "/chains/{message}",
    summary:
      "What a first message set off: every message of its chain, oldest first, and what each agent came to for it.",
    question: z.strictObject({
      message: z.string().min(1).max(200).describe("the id of any message of the chain"),
      ...past,
    }),
    answer: z.object({
      root: z.string(),
      messages: z
        .array(
          z.object({
            ...mail,
            takenAt: z
              .string()
              .nullable()
              .describe("ISO 8601: when it was taken in; null: not, or nobody knows."),
            parent: z
              .string()
              .nullable()
              .describe("The message that its sender worked for when it was sent; null: none that is known."),
          }),
        )
        .readonly(),
      otherMessages: z.number().describe("How many more there are, which are further from the first."),
      agents: z
        .array(
          z.object({
            id: z.string(),
            name: z.string(),
            steps: z.number(),
            input: z.number().describe("Tokens, those of the provider's cache included."),
            output: z.number(),
            cost: z.number().nullable().describe("US dollars; 0 is free, null is unknown."),
            timeMs: z.number().describe("In model calls and actions."),
          }),
        )
        .readonly()
        .describe("Whom it reached, the person not."),
      unread,
    }),
  },
} as const;
