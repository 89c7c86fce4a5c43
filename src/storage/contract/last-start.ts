// What the newest start of a legion hosted: the record of agent 0, enough to host the same again.

import { z } from "zod";
import { fieldsOf, readJson } from "../../base/text/json.ts";
import { isAgentId } from "../../domain/message/message.ts";

/** A configuration is referred to by all of its words. */
const MAX_TEXT = 10_000;

const text = z.string().min(1).max(MAX_TEXT);
const textOrNot = text.optional().catch(undefined);
const id = text.refine(isAgentId);

const lastStart = z.object({
  /** In their order; at least one. */
  agents: z
    .array(
      z.object({
        id,
        /** Name or path of its definition. */
        agent: text,
        /** Absent: what people settled decided. */
        model: textOrNot,
      }),
    )
    .min(1)
    .readonly(),
  team: z
    .object({
      team: text,
      /** Absent: all of it. */
      only: z.array(id).readonly().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  /** As they were typed. */
  flags: z
    .object({
      model: textOrNot,
      limits: textOrNot,
      policy: textOrNot,
      /** Where commands of a run are run. */
      environment: textOrNot,
      /** Absolute: where the trajectory of a run is written. */
      output: textOrNot,
    })
    .catch({}),
});

export type LastStart = z.output<typeof lastStart>;

export function writeLastStart(start: LastStart): string {
  return `${JSON.stringify({ id: "0", lastStart: start }, null, 2)}\n`;
}

/** `undefined` if nothing is known, or what is there is no such record. */
export function readLastStart(json: string): LastStart | undefined {
  return lastStart.safeParse(fieldsOf(readJson(json))["lastStart"]).data;
}
