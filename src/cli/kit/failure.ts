import { isLegionError, messageOf } from "../../base/errors.ts";
import type { Variables } from "../../base/process/variables.ts";
import { plain } from "./terminal.ts";

const MAX_LENGTH = 1_000;

/** What a person is told of an error: one line, the code that it is about, and the stack only with LEGION_DEBUG=1. */
export function explainFailure(error: unknown, env: Variables): { text: string; exitCode: number } {
  const isInput = (["USAGE", "CONFIG", "FOREIGN"] as const).some((code) => isLegionError(error, code));
  const message = plain(messageOf(error)).replace(/\s*\n\s*/g, " ");
  const line = message.length > MAX_LENGTH ? `${message.slice(0, MAX_LENGTH)}…` : message;
  const stack = env["LEGION_DEBUG"] === "1" && error instanceof Error ? `${error.stack}\n` : "";
  const code = isLegionError(error) && error.excerpt !== undefined ? `${plain(error.excerpt)}\n` : "";
  return { text: `legion: ${line}\n${code}${stack}`, exitCode: isInput ? 2 : 1 };
}
