import { fieldsOf } from "../../base/text/json.ts";
import type { Call } from "../../domain/event/event.ts";

/** Its first line, of a call that runs a command: by its name of the parameter, as a module of anybody has it. */
export function commandOf({ parameters }: Pick<Call, "parameters">): string | undefined {
  const { command } = fieldsOf(parameters);
  if (typeof command !== "string") return undefined;
  const [first = "", ...rest] = command.trim().split("\n", 2);
  return rest.length > 0 ? `${first} …` : first;
}
