// The person's side of a running node: what is typed or pasted at a terminal, or comes from a pipe. What is printed goes
// above the rows that say what everybody does, and above the line that is being typed.

import { openBottom, type Bottom } from "./editor/bottom.ts";
import type { ConsoleIo, Input, InputOptions } from "./editor/input.ts";
import { readPipe } from "./editor/pipe.ts";
import { CLEAR, openPrompt } from "./editor/prompt.ts";

/** Rows are shown, and the screen is emptied, only where there is a screen. */
export interface Console extends Input, Pick<Bottom, "print" | "show"> {
  clear(): void;
}

/** `prompt` where a person types, else `lines`. */
export type ConsoleMode = "prompt" | "lines";

export type ConsoleOptions = InputOptions & { readonly mode: ConsoleMode };

/** Output that can be painted over. */
export function isScreen({ stdout, env }: Pick<ConsoleIo, "stdout" | "env">): boolean {
  return Boolean(stdout.isTTY) && env["TERM"] !== "dumb";
}

/** A person types where both ends are a terminal. */
export function consoleMode(io: ConsoleIo): ConsoleMode {
  return io.stdin.isTTY && isScreen(io) ? "prompt" : "lines";
}

/** The end of the input ends nothing: agents go on without a person. */
export function openConsole(options: ConsoleOptions): Console {
  const bottom = openBottom(options.io.stdout);
  const input = options.mode === "prompt" ? openPrompt(options, bottom) : readPipe(options);
  // Who asked a question before has left it paused, and then it would stay so for ever, deaf to Ctrl-C, too.
  options.io.stdin.resume();
  return {
    print: bottom.print,
    show: bottom.show,
    clear: () => bottom.begin(CLEAR),
    settled: input.settled,
    isTyping: input.isTyping,
    close() {
      input.close();
      bottom.close();
    },
  };
}
