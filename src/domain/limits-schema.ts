// Limits as they are kept and told.

import { z } from "zod";
import type { Limits, LimitsChoice } from "./limits.ts";

export const limitsSchema: z.ZodType<Limits> = z
  .object({
    steps: z.number().optional(),
    turns: z.number().optional().describe("Decisions of one agent for one instruction."),
    tokens: z.number().optional(),
    cost: z.number().optional().describe("US dollars."),
    timeMs: z.number().optional().describe("Working time: the model is asked or an action runs."),
  })
  .readonly();

const amount = z.union([z.number().positive(), z.literal("none")]).optional();
const whole = z.union([z.int().positive(), z.literal("none")]).optional();

/** What somebody says about them. */
export const limitsChoiceSchema: z.ZodType<LimitsChoice> = z
  .strictObject({ steps: whole, turns: whole, tokens: whole, cost: amount, timeMs: whole })
  .describe("amounts above 0 or none, by steps, turns, tokens, cost (US dollars) and timeMs")
  .readonly();
