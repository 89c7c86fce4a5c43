// An agent shall go on from an earlier moment of its past: what a person asks for, and what came of it.

import { z } from "zod";
import { HALT_REASONS } from "../past/conversation.ts";

export const forkOrderSchema = z.strictObject({
  agent: z.string().describe("the id of an agent"),
  at: z.int().min(1).describe("the number of an event"),
  as: z.string().optional().describe("the id of a new agent"),
});

/** `as` names the new agent that goes on from there; absent: the agent itself does. */
export type ForkOrder = z.infer<typeof forkOrderSchema>;

export const forkedSchema = z
  .object({
    halt: z
      .object({ reason: z.enum(HALT_REASONS), content: z.string(), since: z.string() })
      .readonly()
      .optional()
      .describe("Why it rested at that moment, and so does now."),
    edited: z
      .array(z.tuple([z.string(), z.string()]).readonly())
      .readonly()
      .describe("What a person had changed by hand, and stays so: module and key of each."),
    lost: z
      .number()
      .optional()
      .describe("How many events of its past are damaged or gone; the agent is told. Absent: none."),
  })
  .readonly();

export type Forked = z.infer<typeof forkedSchema>;
