/** What a command came to. */
export interface CommandEnd {
  /** `null`: it was ended by `ended`, or could not be run. */
  readonly exitCode: number | null;
  readonly ended?: "timeout" | "aborted" | "too much output" | "too many processes" | "disk full";
  /** What was refused or undone, a sentence each. */
  readonly remarks?: readonly string[];
}

export interface CommandRun extends CommandEnd {
  /** Standard output and error as they came, control characters included. */
  readonly output: string;
}

export interface CommandOptions {
  /** Where it begins, relative to the root; absent: there. */
  readonly folder?: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What it reaches besides what all commands may, such as `example.com:8443`. */
  readonly hosts?: readonly string[];
  /** Told what it prints as it comes, in pieces, control characters included; only while an action runs. */
  readonly onOutput?: (text: string) => void;
}

export interface Workspace {
  /** Absolute real path of the folder in which the agent works: the project's, or one of its own. */
  readonly root: string;
  /** The branch of git that it works on, in a worktree of its own; absent: others may work in the same folder. */
  readonly branch?: string;
  /** Where the state of the legion is, relative to `root`; an agent may read nothing there but what was kept for it. */
  readonly home: string;
  /** Runs `command` in a shell in the workspace. Resolves whatever comes of it; rejects only if no shell starts. */
  execute(command: string, options: CommandOptions): Promise<CommandRun>;
  readonly background: BackgroundCommands;
}

/** What a command in the background has printed. */
export interface Printed {
  /** All from the place that was asked for on, control characters included; where something is gone, a line says how much. */
  readonly text: string;
  /** The place behind it, in bytes of UTF-8. */
  readonly next: number;
  /**
   * What it came to; `lost`: it was running when the process that had started it ended, or was never started here. Absent: it
   * runs.
   */
  readonly end?: CommandEnd | "lost";
}

export interface BackgroundOptions {
  /** As of a command that is waited for. */
  readonly hosts?: readonly string[];
  /** Names of those that the module still knows: all else that it ever started is ended, and what it printed is deleted. */
  readonly known: readonly string[];
  /** Told what it prints as it comes, as of a command that is waited for, but until it ends. */
  readonly onOutput?: (text: string) => void;
}

/** Commands of one module that go on when the action that started them is over. They end with the agent's node at the latest. */
export interface BackgroundCommands {
  /**
   * Starts one more in the workspace, without input, and returns its name. Rejects if no shell starts, and with REFUSED where
   * 8 are known.
   */
  start(command: string, options: BackgroundOptions): Promise<string>;
  /** Says the same again until it has printed more. Of more than 3 MiB the middle is gone. */
  read(name: string, from: number): Promise<Printed>;
  /** Resolves once it has printed more than up to `from`, runs no more, or `signal` aborts. */
  awaitMore(name: string, from: number, signal: AbortSignal): Promise<void>;
  /** Asks it to end, and makes it after two seconds. Resolves when nothing of it runs; does nothing where nothing does. */
  stop(name: string): Promise<void>;
}

/** Of a longer file nothing is kept. */
export const MAX_KEPT_BYTES = 8 * 1024 * 1024;

/** What is, or is going to be, at a path. `other`: nothing that could be put back, for this reason. */
export type Contents =
  | { readonly kind: "nothing" | "folder" }
  | { readonly kind: "link"; readonly to: string }
  /** `mode`: its permissions; absent: those of any new file. */
  | { readonly kind: "file"; readonly content: string | Uint8Array; readonly mode?: number }
  | { readonly kind: "other"; readonly why: string };

/** What an action is about to change, told before it does, so that a person can have it back. */
export interface Replacement {
  /** Absolute, without links. */
  readonly path: string;
  readonly before: Contents;
  readonly after: Contents;
}

/** What was changed though it cannot be put back. */
export interface Unkept {
  /** Relative to the workspace. */
  readonly path: string;
  readonly why: string;
}
