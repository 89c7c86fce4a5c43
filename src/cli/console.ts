// The person's side of a running node: lines typed at a terminal, or coming from a pipe. What is printed goes above the
// line that is being typed.

import { clearScreenDown, createInterface, cursorTo, moveCursor } from "node:readline";
import type { Io } from "./command.ts";

export interface Console {
  /** Prints whole rows, each with a newline at its end. */
  print(rows: string): void;
  /** Reads no more lines, and leaves the terminal as it was. */
  close(): void;
}

export interface ConsoleOptions {
  readonly io: Pick<Io, "stdin" | "stdout" | "env">;
  /** `prompt` where a person types, else `lines`. */
  readonly mode: "prompt" | "lines";
  /** Called for each line, in order, the next one once it has resolved. */
  readonly onLine: (line: string) => Promise<void>;
  /** What the beginning of a line can become. */
  readonly complete: (line: string) => readonly string[];
  readonly onInterrupt: () => void;
}

/** A person types where both ends are a terminal. */
export function consoleMode({ stdin, stdout, env }: ConsoleOptions["io"]): ConsoleOptions["mode"] {
  return stdin.isTTY && stdout.isTTY && env["TERM"] !== "dumb" ? "prompt" : "lines";
}

/** The end of the input ends nothing: agents go on without a person. */
export function openConsole({ io, mode, onLine, complete, onInterrupt }: ConsoleOptions): Console {
  const { stdin, stdout } = io;
  const reader = createInterface({
    input: stdin,
    terminal: mode === "prompt",
    ...(mode === "prompt" && { output: stdout, prompt: "> ", completer: toCompleter(complete) }),
  });
  let isPrompting = mode === "prompt";
  let last = Promise.resolve();
  reader.on("line", (line) => {
    // A rejection would be a fault of ours: it ends the process like any other.
    last = last.then(() => onLine(line));
    if (isPrompting) reader.prompt();
  });
  reader.on("SIGINT", onInterrupt);
  reader.on("close", () => (isPrompting = false));
  stdin.on("error", () => reader.close());
  if (isPrompting) reader.prompt();
  return {
    print(rows) {
      if (!isPrompting) return void stdout.write(rows);
      const { rows: typed } = reader.getCursorPos();
      moveCursor(stdout, 0, -typed);
      cursorTo(stdout, 0);
      clearScreenDown(stdout);
      // The reader will move up as many rows as the typed line has before it draws it again.
      stdout.write(rows + "\n".repeat(typed));
      reader.prompt(true);
    },
    close() {
      if (isPrompting) {
        cursorTo(stdout, 0);
        clearScreenDown(stdout);
      }
      isPrompting = false;
      reader.close();
      stdin.pause();
    },
  };
}

function toCompleter(complete: ConsoleOptions["complete"]): (line: string) => [string[], string] {
  return (line) => [[...complete(line)], line];
}
