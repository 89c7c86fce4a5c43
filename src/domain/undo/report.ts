// What an undo comes to, for people and programs.

import { z } from "zod";

const text = z.string();

/** What is asked for. */
export const undoOrderSchema = z.strictObject({
  what: text.min(1).max(300).describe('a message, such as "0>2#1", or an event, such as 2.417'),
});

const changed = z.object({
  path: text.describe("relative to the project"),
  from: text,
  to: text,
});

export const undoReportSchema = z.object({
  event: z
    .int()
    .nullable()
    .describe("Of log 0: what `legion undo 0.<event>` takes back again; null: nothing was changed."),
  done: z.array(changed).readonly().describe("What was taken back."),
  left: z
    .array(
      z.object({
        event: text.nullable().describe("The result that changed it."),
        path: text,
        why: text,
        before: text.describe("What stood there before, and where that is kept."),
        after: text.describe("What the agent left there."),
        now: text,
      }),
    )
    .readonly()
    .describe("Changes that were not taken back."),
  already: z.int().describe("Paths that were as before already."),
  shared: z
    .array(z.object({ event: text, action: text, path: text.optional() }))
    .readonly()
    .describe("Results that may be for something else as well, and what commands changed while others ran."),
  beyond: z
    .array(z.object({ what: text, events: z.array(text).readonly() }))
    .readonly()
    .describe("What nobody can take back."),
  foreign: z
    .array(text)
    .readonly()
    .describe("Agents whose logs somebody else wrote: nothing that stands there is taken back."),
});

export type UndoReport = z.output<typeof undoReportSchema>;
