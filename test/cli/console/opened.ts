// A console at a terminal, and what became of what was typed there.

import { onTestFinished } from "vitest";
import { openConsole, type Console, type ConsoleOptions } from "../../../src/cli/console/console.ts";
import { createTerminal, type Terminal } from "../screen.ts";

export interface Opened extends Console {
  readonly terminal: Terminal;
  readonly lines: string[];
  readonly refused: string[];
  readonly interrupts: () => number;
  readonly escapes: () => number;
}

export function openAt(columns: number, options: Partial<ConsoleOptions> = {}): Opened {
  const terminal = createTerminal(columns);
  const lines: string[] = [];
  const refused: string[] = [];
  let interrupts = 0;
  let escapes = 0;
  const opened = openConsole({
    io: { ...terminal, env: {} },
    mode: "prompt",
    onEntry: async (line) => void lines.push(line),
    onRefused: (why) => void refused.push(why),
    complete: () => [],
    onInterrupt: () => interrupts++,
    onEscape: () => escapes++,
    ...options,
  });
  onTestFinished(opened.close);
  return { ...opened, terminal, lines, refused, interrupts: () => interrupts, escapes: () => escapes };
}
