// What a person answers to a question: a message of Control with delivery `verdict`.

import { z } from "zod";
import { CONTROL, type Message } from "../message.ts";

export const verdictSchema = z
  .strictObject({
    question: z.string().describe("Such as 2.417."),
    verdict: z.enum(["approved", "denied"]),
    reason: z.string().optional().describe("Why not, for the agent."),
  })
  .readonly();

export type VerdictDetails = z.infer<typeof verdictSchema>;

/** `undefined` for what is no answer, or not the person's. */
export function readVerdict({ delivery, source, details }: Message): VerdictDetails | undefined {
  if (delivery !== "verdict" || source.type !== "agent" || source.id !== CONTROL) return undefined;
  return verdictSchema.safeParse(details).data;
}
