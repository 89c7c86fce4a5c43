// How a node says no, whatever carries it.

import { z } from "zod";
import { ERROR_CODES, isLegionError, LegionError, messageOf } from "../../base/errors.ts";

/** The longest body of a request: a message of the greatest size, every byte of it escaped. */
export const MAX_BODY_BYTES = 8 * 1_048_576;

/** The body of every answer that is not a success. A code that only a later version knows is a refusal, too. */
export const refusalSchema = z.object({
  error: z.object({ code: z.enum(ERROR_CODES).catch("REFUSED"), message: z.string() }),
});

export function tooLong(): LegionError {
  return new LegionError("USAGE", `a request may have ${MAX_BODY_BYTES} bytes`);
}

/** What is answered where `error` was thrown. */
export function refusalOf(error: unknown): z.infer<typeof refusalSchema> {
  const code = isLegionError(error) ? error.code : "REFUSED";
  return { error: { code, message: messageOf(error) } };
}
