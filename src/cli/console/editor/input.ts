// Where the words of a person come from: the contract of a terminal's prompt and of a pipe.

import type { ConsoleHistory } from "./history.ts";

/** Both ends, and what the environment says of the terminal. */
export interface ConsoleIo {
  readonly stdin: NodeJS.ReadableStream & {
    readonly isTTY?: boolean;
    readonly setRawMode?: (...mode: never[]) => unknown;
  };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface InputOptions {
  readonly io: ConsoleIo;
  /** Called for what is entered: a line, several that belong together. Of a pipe only once the one before has resolved. */
  readonly onEntry: (entry: string) => Promise<void>;
  /** Called with the reason where what was entered cannot be taken; nothing of it was kept. */
  readonly onRefused: (why: string) => void;
  /** What the beginning of a line can become. */
  readonly complete: (line: string) => readonly string[];
  readonly onInterrupt: () => void;
  /** Absent: only this session's. */
  readonly history?: ConsoleHistory;
}

export interface Input {
  /** Resolves when what was there from the start has been handled; a person is not waited for. */
  settled(): Promise<void>;
  /** Reads no more, and leaves the terminal as it was. */
  close(): void;
}

export const TOO_LONG = "longer than a message can be (1 MiB): nothing of it was sent";
