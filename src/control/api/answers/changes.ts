// What agents did to files, one line for each change.

import { z } from "zod";
import { past } from "../past-question.ts";

const change = z.object({
  agent: z.string(),
  name: z.string(),
  path: z.string().describe("As the call named it; of a command relative to the agent's workspace."),
  from: z.string().optional().describe("Where it was moved from."),
  does: z.enum(["created", "changed", "moved", "deleted"]),
  seq: z.number().describe("The event of the agent's log that tells of it."),
  at: z.string(),
  command: z
    .string()
    .optional()
    .describe("How the command begins that did it: no difference is recorded. Absent: a file action did it."),
  isShared: z
    .literal(true)
    .optional()
    .describe("Other commands ran meanwhile: nobody knows which of them did it."),
  more: z
    .number()
    .optional()
    .describe("So many more changes of the same command are not listed; with the last one that is."),
  isTakenBack: z
    .literal(true)
    .optional()
    .describe("An undo took it back, and nothing brought it back since."),
  cause: z.string().nullable().describe("The first message that it was done for; null: before any."),
  opening: z.string().nullable().describe("How that begins; null if no log has it."),
});

export const CHANGES_READING = {
  changes: {
    path: "/changes",
    summary:
      "Which files agents changed, newest first: by their file actions, whose event has the difference, and by commands, as far as that is known.",
    question: z.strictObject({ ...past }),
    answer: z.object({ changes: z.array(change).readonly() }),
  },
} as const;
