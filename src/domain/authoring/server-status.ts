import { z } from "zod";

/** Of a server that a module speaks with for all agents of a process, as people are shown it. */
export const serverStatusSchema = z
  .object({
    name: z.string(),
    workspace: z
      .string()
      .optional()
      .describe("Where it works, if that is another folder than the project's."),
    state: z.enum(["starting", "ready", "restarting", "away"]).describe("away: until an agent asks for it."),
    since: z.string().describe("ISO 8601: since when it is in this state."),
    reason: z.string().describe("Why it is away or is started again, and what it printed; may be empty."),
    restarts: z.number().describe("How often it was started again."),
    tools: z.number().nullable().describe("How many agents may use; null if it did not tell yet."),
    withheld: z
      .array(z.object({ tool: z.string(), why: z.string() }).readonly())
      .readonly()
      .describe("What agents do without until a person allows it."),
  })
  .readonly();

export type ServerStatus = z.infer<typeof serverStatusSchema>;
