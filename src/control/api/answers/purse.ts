// The person's purse as it is told.

import { z } from "zod";
import { limitsSchema } from "../../../domain/limits-schema.ts";

const amounts = z.object({
  steps: z.number(),
  tokens: z.number(),
  cost: z.number().describe("US dollars."),
});

export const purseAnswer = z.object({
  periods: z
    .array(
      z.object({
        name: z.enum(["day", "month"]),
        limits: limitsSchema,
        spent: amounts,
        setAside: amounts.describe("For legions that run now, what they spent of it since included."),
      }),
    )
    .readonly()
    .describe("Those that the person has set a limit to."),
});
