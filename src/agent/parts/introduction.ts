import type { ToolSpec } from "../../domain/model.ts";

export interface Introduction {
  /** The modules' instructions: stable. */
  readonly instructions: string;
  /** The modules' pinned messages: they change as the agent works. */
  readonly pinned: string;
  readonly tools: readonly ToolSpec[];
}

/** One module's part of the introduction. */
export function section(name: string, text: string): string {
  return `--- ${name.toUpperCase()} ---\n\n${text.trim()}`;
}
