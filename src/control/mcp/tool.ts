// A tool that other programs have of a legion, apart from what carries it.

import type { z } from "zod";

/** One call of a tool. */
export interface ToolUse {
  /** Aborts when the program wants no answer any more. */
  readonly signal: AbortSignal;
  /** Tells the program what happens meanwhile, in one line, and how far it is; nobody may listen. */
  progress(done: number, total: number, text: string): Promise<void>;
}

export interface ProgramTool {
  readonly name: string;
  /** For the model of the program that calls it. */
  readonly description: string;
  /** A strict object, each field of it described. */
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** Does it change nothing? */
  readonly isReadOnly: boolean;
  /** @param given is what `input` makes of what was said. Rejects with what is wrong, for the program. */
  use(given: object, use: ToolUse): Promise<object>;
}

interface ToolDefinition<In extends z.ZodObject, Out extends z.ZodObject> extends Omit<ProgramTool, "use"> {
  readonly input: In;
  readonly output: Out;
  use(given: z.output<In>, use: ToolUse): Promise<z.output<Out>>;
}

export function programTool<In extends z.ZodObject, Out extends z.ZodObject>(
  tool: ToolDefinition<In, Out>,
): ProgramTool {
  return { ...tool, use: (given, use) => tool.use(given as z.output<In>, use) };
}
