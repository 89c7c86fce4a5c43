// Long-term memories as they are told.

import { z } from "zod";

const outside = z.array(z.string()).readonly().describe("From where outside it came; empty: from nowhere.");
export const memoryAnswer = z.object({
  memories: z
    .array(
      z.object({
        memory: z.string(),
        entries: z.number().describe("How many it holds."),
        at: z.string().nullable().describe("When its newest event came; null before the first."),
        keeper: z.string().nullable().describe("Who makes its context."),
        context: z
          .object({ seq: z.number(), at: z.string(), by: z.string(), content: z.string(), outside })
          .nullable()
          .describe("The document made of its entries."),
        found: z
          .array(
            z.object({
              seq: z.number().describe("Its number in the memory."),
              said: z.string(),
              speaker: z.string(),
              role: z.enum(["user", "assistant"]),
              thread: z.string(),
              tags: z.record(z.string(), z.string()),
              text: z.string().describe("Of a long one the piece with the words, or its beginning."),
              cut: z.number().describe("How many characters of it are left out."),
              outside,
            }),
          )
          .readonly()
          .describe("The newest first; of those with some words the best first."),
        problem: z.string().nullable().describe("Why it cannot be read."),
      }),
    )
    .readonly(),
});
