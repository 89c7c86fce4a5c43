// A prompt as it is told: by part, against the one before it.

import { z } from "zod";

const promptPart = z.object({
  title: z.string(),
  text: z.string(),
  tokens: z.number().describe("An estimate."),
});
export const promptAnswer = z.object({
  at: z
    .number()
    .nullable()
    .describe("The decision, or the call, that it was shown for; null: it would be now."),
  before: z
    .number()
    .nullable()
    .describe("The decision whose prompt it is compared with; null: there is none that is kept."),
  parts: z
    .array(
      z.union([
        promptPart.extend({ change: z.enum(["same", "new"]) }),
        promptPart.extend({ change: z.literal("changed"), was: z.string().describe("What stood there.") }),
      ]),
    )
    .readonly()
    .describe("In the order in which the model reads them."),
  gone: z.array(promptPart).readonly().describe("What was shown before, and is no more."),
  call: z
    .object({
      model: z.string(),
      input: z.number().describe("Tokens, those of the provider's cache included."),
      output: z.number(),
      cacheRead: z.number(),
      cacheWrite: z.number(),
      cost: z.number().nullable().describe("US dollars; null is unknown."),
    })
    .nullable()
    .describe("What it came to; null: it was not made, or nothing came of it."),
});
