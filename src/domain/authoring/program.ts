// Programs that outlive actions and agents, such as servers of tools.

import type { Readable, Writable } from "node:stream";

export interface ProgramOrder {
  /** A name of PATH, or a path; a relative one begins at `cwd`. */
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute path of the folder to start in. */
  readonly cwd: string;
  /** What it sees beside PATH, LANG, TERM, HOME and TMPDIR; these may be among them. */
  readonly env: Readonly<Record<string, string>>;
  /** In a sandbox: what it reaches, whatever commands there do; hosts as people write them, such as `example.com:8443`. */
  readonly network: "off" | "on" | readonly string[];
  /**
   * In a sandbox: what it may do to the files of the workspace. While one runs that writes, whatever gets a protected name there
   * counts as made by it, and is set aside.
   */
  readonly workspace: "reads" | "writes";
}

/** One that runs, with pipes. */
export interface StartedProgram {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when it has ended and its pipes are closed, with what it came to, in one sentence. Never rejects. */
  readonly gone: Promise<string>;
  /** Hosts that it asked for and may not reach, such as `example.com:8443`, as far as that is known. */
  missed(): readonly string[];
  /** Why it did not reach what it asked for, a sentence each, as far as that is known. */
  refused(): readonly string[];
  /** Closes its input, asks it to end, and makes it, half a second apart. Resolves when nothing runs of what it started. */
  end(): Promise<void>;
}

/** Rejects, in one sentence, where it cannot be started. */
export type StartProgram = (order: ProgramOrder) => Promise<StartedProgram>;

/** Where the programs of an agent run: in the environment of its commands, but with a home of their own. */
export interface Programs {
  /** Is there anything that confines them? Else `start` starts what `startOutside` does. */
  readonly isConfined: boolean;
  /** The same text for agents of this process whose programs are confined alike, and so may share one. */
  readonly confinement: string;
  /** Absolute real path of the folder that these have in place of the project's; absent: that itself. */
  readonly workspace?: string;
  /**
   * Starts one that ends with this process at the latest, not with the agent. `home`, letters and digits, names the folder
   * that is its HOME in a sandbox: it lasts, and is shared by all that name the same.
   */
  start(order: ProgramOrder & { readonly home: string }): Promise<StartedProgram>;
  /** The same, as a program of the person's own, outside of any sandbox. */
  readonly startOutside: StartProgram;
}
