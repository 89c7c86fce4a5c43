export interface CommandRun {
  /** Standard output and error as they came, control characters included. */
  readonly output: string;
  /** `null`: it was ended by `ended`. */
  readonly exitCode: number | null;
  readonly ended?: "timeout" | "aborted" | "too much output" | "too many processes" | "disk full";
  /** What was refused or undone, a sentence each. */
  readonly remarks?: readonly string[];
}

export interface CommandOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What it reaches besides what all commands may, such as `example.com:8443`. */
  readonly hosts?: readonly string[];
  /** Told what it prints as it comes, in pieces, control characters included; only while an action runs. */
  readonly onOutput?: (text: string) => void;
}

export interface Workspace {
  /** Absolute real path of the project folder. */
  readonly root: string;
  /** Where the state of the legion is, relative to `root`; an agent may read nothing there but what was kept for it. */
  readonly home: string;
  /** Runs `command` in a shell in the workspace. Resolves whatever comes of it; rejects only if no shell starts. */
  execute(command: string, options: CommandOptions): Promise<CommandRun>;
}
