// What can be read of two pasts beside each other, and of one against what today makes of it.

import { z } from "zod";

const agent = z.string().min(1).max(64).describe("an agent id");
const at = z.coerce
  .number()
  .pipe(z.int().min(1))
  .optional()
  .describe("the number of the event that its branch ends with; without it, the newest");
const past = { moment: z.iso.datetime().optional().describe("a time: what was recorded by then") };

const point = z.object({ seq: z.number(), at: z.string() }).nullable();
const own = z.object({
  agent: z.string(),
  name: z.string(),
  last: point.describe("Its newest event; null: there is none."),
  shared: point.describe("The newest that is the same; null: none is."),
  parts: point.describe("The first that is not as on the other side; null: it has no more."),
  lost: z.number().describe("How many events of its log up to there are damaged or gone, and left out."),
  events: z
    .array(z.looseObject({ seq: z.number(), at: z.string(), kind: z.string() }))
    .readonly()
    .describe("What follows the shared past, oldest first; at most 200."),
  more: z.number().describe("How many more there are."),
  since: z
    .object({
      steps: z.number(),
      tokens: z.number(),
      cost: z.number().nullable().describe("US dollars; null is unknown."),
      timeMs: z.number().describe("From its first event there to its last."),
    })
    .describe("What it came to since."),
});

export const COMPARISONS = {
  differences: {
    path: "/differences",
    summary:
      "Where two pasts part: branches, an agent and its fork, or the agents of two runs; the first difference, and what follows on each side.",
    question: z.strictObject({
      one: agent,
      oneAt: at,
      oneRun: z.string().min(1).optional().describe("a run or session of this project that the agent is of"),
      other: agent,
      otherAt: at,
      run: z.string().min(1).optional().describe("a run or session that the other agent is of"),
      ...past,
    }),
    answer: z.object({
      same: z.number().describe("How many events are the same, of those that are compared."),
      unlike: z
        .object({ part: z.string(), one: z.string(), other: z.string() })
        .nullable()
        .describe(
          "What differs first, whole, on both sides; null: one is the beginning of the other, or both are the same.",
        ),
      one: own,
      other: own,
    }),
  },
  runs: {
    path: "/runs",
    summary: "The runs and sessions of this project, newest first; at most 100.",
    question: z.strictObject({ ...past }),
    answer: z.object({
      runs: z
        .array(
          z.object({
            name: z.string(),
            at: z.string().describe("Of its newest event, ISO 8601; empty: none can be read."),
            agents: z.array(z.string()).readonly(),
          }),
        )
        .readonly(),
      more: z.number().describe("How many older ones there are."),
    }),
  },
  replay: {
    path: "/agents/{agent}/replay",
    summary:
      "Its past once more, as its definition and code of today would make it, against what is recorded: nothing is asked, run or sent.",
    question: z.strictObject({
      agent,
      to: at.describe("the event to end with, on whatever branch; without it, the newest"),
      ...past,
    }),
    answer: z.object({
      decisions: z.number().describe("How many were identical."),
      difference: z
        .object({
          seq: z.number().describe("The recorded event that it was found at."),
          part: z.string(),
          recorded: z.string(),
          today: z.string(),
        })
        .nullable()
        .describe("The first one; null: all is as it was recorded."),
    }),
  },
} as const;
