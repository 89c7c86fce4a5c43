// What a person is told of a time in which they did not look.

import { z } from "zod";
import { reportSchema } from "../../../legion/report/report.ts";
import { past } from "../past-question.ts";

export const REPORT_READING = {
  report: {
    path: "/report",
    summary:
      "What was asked since a time and what came of it, what waits for the person, what was odd and what changed, as `legion report` tells it.",
    question: z.strictObject({
      since: z.iso.datetime().optional().describe("a time; without it, all that is recorded"),
      ...past,
    }),
    answer: reportSchema,
  },
} as const;
