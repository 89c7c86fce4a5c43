// Limits as they are kept and told.

import { z } from "zod";
import type { Limits } from "./limits.ts";

export const limitsSchema: z.ZodType<Limits> = z
  .object({
    steps: z.number().optional(),
    turns: z.number().optional().describe("Decisions of one agent for one instruction."),
    tokens: z.number().optional(),
    cost: z.number().optional().describe("US dollars."),
    timeMs: z.number().optional().describe("Working time: the model is asked or an action runs."),
  })
  .readonly();
