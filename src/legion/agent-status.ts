// What `legion ps` shows of one agent, as it also travels from a node to whoever asks.

import { z } from "zod";
import { AGENT_STATES } from "../domain/inspection.ts";

export const agentStatusSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    state: z.enum(AGENT_STATES),
    reason: z.string().describe("Why, where that is not plain; may be empty."),
    waitingFor: z.string().describe("What has to happen before it goes on."),
    since: z.string().nullable().describe("ISO 8601: since when it is in this state; null if nobody knows."),
    unread: z.number().describe("Messages that it has not taken in."),
    steps: z.number(),
    tokens: z.number(),
    cost: z.number().nullable().describe("US dollars; 0 is free, null is unknown."),
    model: z.string().nullable(),
    node: z.string().nullable().describe("The process that runs it, <pid>@<host>; null if none does."),
  })
  .readonly();

export type AgentStatus = z.infer<typeof agentStatusSchema>;
