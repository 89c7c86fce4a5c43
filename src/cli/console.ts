// The person's side of a running node: lines typed at a terminal, or coming from a pipe. What is printed goes above the
// line that is being typed.

import { clearScreenDown, createInterface, cursorTo, moveCursor } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

export interface Console {
  /** Prints whole rows, each with a newline at its end. */
  print(rows: string): void;
  /** Resolves when the lines that were there from the start have been handled; a person's are not waited for. */
  settled(): Promise<void>;
  /** Reads no more lines, and leaves the terminal as it was. */
  close(): void;
}

/** Both ends, and what the environment says of the terminal. */
export interface ConsoleIo {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ConsoleOptions {
  readonly io: ConsoleIo;
  /** `prompt` where a person types, else `lines`. */
  readonly mode: "prompt" | "lines";
  /** Called for each line, in order, the next one once it has resolved. */
  readonly onLine: (line: string) => Promise<void>;
  /** What the beginning of a line can become. */
  readonly complete: (line: string) => readonly string[];
  readonly onInterrupt: () => void;
}

/** What `echo` or a file sends is read by then; an input that stays open is not waited for any longer. */
const FIRST_LINES_MS = 100;

/** A person types where both ends are a terminal. */
export function consoleMode({ stdin, stdout, env }: ConsoleIo): ConsoleOptions["mode"] {
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
  let isClosing = false;
  let last = Promise.resolve();
  /** Takes the line that is being typed off the screen; returns how many rows of it were above the cursor. */
  const clearTyped = (): number => {
    const { rows } = reader.getCursorPos();
    moveCursor(stdout, 0, -rows);
    cursorTo(stdout, 0);
    clearScreenDown(stdout);
    return rows;
  };
  reader.on("line", (line) => {
    // A rejection would be a fault of ours: it ends the process like any other.
    last = last.then(() => onLine(line));
    if (isPrompting) reader.prompt();
  });
  reader.on("SIGINT", onInterrupt);
  const endPrompt = (): void => {
    if (!isPrompting) return;
    isPrompting = false;
    clearTyped();
  };
  reader.on("close", endPrompt);
  reader.on("close", () => {
    if (mode === "prompt" && !isClosing) stdout.write("Nothing more is read here. Ctrl-C ends the node.\n");
  });
  // A terminal that was closed can be neither read nor put back in order; the process is told by a signal.
  reader.on("error", () => undefined);
  if (isPrompting) reader.prompt();
  const ended = new Promise<void>((resolve) => reader.on("close", resolve));
  return {
    async settled() {
      if (mode === "lines") await Promise.race([ended, delay(FIRST_LINES_MS)]);
      await last;
    },
    print(rows) {
      if (!isPrompting) return void stdout.write(rows);
      const typed = clearTyped();
      // The reader will move up as many rows as the typed line has before it draws it again.
      stdout.write(rows + "\n".repeat(typed));
      reader.prompt(true);
    },
    close() {
      isClosing = true;
      endPrompt();
      reader.close();
      stdin.pause();
    },
  };
}

function toCompleter(complete: ConsoleOptions["complete"]): (line: string) => [string[], string] {
  return (line) => [[...complete(line)], line];
}
