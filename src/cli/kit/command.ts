import type { Command as Parser } from "commander";
import type { Variables } from "../../base/process/variables.ts";

/** What a command may touch of the process it runs in. */
export interface Io {
  readonly env: Variables;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Every command there is. */
  readonly commands: readonly CommandEntry[];
  /** Aborts when nobody wants any more of what goes on for ever (`--follow`), unless the end of the process says so. */
  readonly signal: AbortSignal;
  /** The run that commands are about where nobody names another one; absent: the project's own legion. */
  readonly run?: string;
}

/** What was typed after the command's name, as the parser read it. */
export interface Typed {
  readonly args: readonly (string | undefined)[];
  /** The text of each; `"true"` of one that takes none. */
  readonly options: Readonly<Record<string, string | undefined>>;
}

/** One file per command exports one of these as `command`. */
export interface CliCommand {
  /** Declares arguments and options; `parser` has the command's name and summary already. */
  define(parser: Parser): void;
  /**
   * Resolves with the exit code. Rejects with LegionError: USAGE and CONFIG become one line and exit 2, every other
   * error one line and exit 1.
   */
  run(typed: Typed, io: Io): Promise<number>;
}

export interface CommandEntry {
  readonly name: string;
  /** The name and what follows it, as the overview shows it. */
  readonly usage: string;
  readonly summary: string;
  /** The heading that it stands under. */
  readonly group: string;
  load(): Promise<{ readonly command: CliCommand }>;
}
