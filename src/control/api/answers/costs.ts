// What a legion came to, as it is told.

import { z } from "zod";

const spent = {
  steps: z.number(),
  input: z.number().describe("Tokens, those of the provider's cache included."),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  unparsed: z.number().describe("Answers from which no action could be read."),
  retried: z.number().describe("Calls of which nothing came."),
  cost: z.number().nullable().describe("US dollars; 0 is free, null is unknown."),
};
const takers = z.array(z.string()).readonly().describe("Who spent it.");

export const costsAnswer = z.object({
  agents: z.array(z.object({ id: z.string(), name: z.string(), ...spent })).readonly(),
  causes: z
    .array(
      z.object({
        root: z.string().nullable().describe("Its id; null: before any was shown."),
        said: z.string().nullable(),
        opening: z.string().nullable().describe("How it begins; null if no log has it."),
        agents: takers,
        ...spent,
      }),
    )
    .readonly(),
  models: z.array(z.object({ model: z.string(), agents: takers, ...spent })).readonly(),
  spans: z
    .array(z.object({ at: z.string(), minutes: z.number().describe("1, 60 or 1440."), ...spent }))
    .readonly(),
  unread: z
    .array(z.object({ agent: z.string(), why: z.string() }))
    .readonly()
    .describe("Whose logs cannot be read: what they spent is missing."),
});
