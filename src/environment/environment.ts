import type { CommandRun } from "../domain/module.ts";

/** What is kept of a command that runs, in case that the runtime dies under it. */
export interface CommandTrace {
  /** Long and random; stands in the environment of everything that the command starts, and nowhere else. */
  readonly mark: string;
  /** Told what the command prints, as it comes. Never throws. */
  readonly print: (chunk: Uint8Array) => void;
}

export interface ExecuteOptions {
  /** Absolute path of the folder to start in. */
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly trace?: CommandTrace;
}

/**
 * Where commands run.
 *   E1. A command sees no variable of the runtime but those that every program needs; never a secret.
 *   E2. When `execute` settles, nothing that the command started is running.
 *   E3. `execute` settles soon after the shell ends, whoever still holds its output, and soon after `timeoutMs` or an
 *       abort, whatever the command ignores.
 *   E4. Output is bounded: a command that prints without end is ended.
 *   E6. What a runtime that was killed left running is found by its mark, and ended.
 */
export interface Environment {
  /** Runs `command` in a shell without standard input. Resolves whatever comes of it; rejects if no shell starts. */
  execute(command: string, options: ExecuteOptions): Promise<CommandRun>;
  /** The variables for a program that outlives one action: those of E1, and `mark`. */
  variables(mark: string): Readonly<Record<string, string>>;
  /** Ends everything whose mark begins with `mark`, which is long and random. Says whether there was anything. */
  endLeft(mark: string): Promise<boolean>;
}
