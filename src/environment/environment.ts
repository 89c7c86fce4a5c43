import type { CommandRun } from "../module.ts";

export interface ExecuteOptions {
  /** Absolute path of the folder to start in. */
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Where commands run.
 *   E1. A command sees no variable of the runtime but those that every program needs; never a secret.
 *   E2. When `execute` settles, nothing that the command started is running.
 *   E3. `execute` settles soon after the shell ends, whoever still holds its output, and soon after `timeoutMs` or an
 *       abort, whatever the command ignores.
 *   E4. Output is bounded: a command that prints without end is ended.
 */
export interface Environment {
  /** Runs `command` in a shell without standard input. Resolves whatever comes of it; rejects if no shell starts. */
  execute(command: string, options: ExecuteOptions): Promise<CommandRun>;
}
