import type { CommandRun } from "../domain/authoring/workspace.ts";
import type { Network } from "../domain/authoring/network.ts";
import type { ProgramOrder, StartedProgram } from "../domain/authoring/program.ts";

export const ENVIRONMENT_KINDS = ["bubblewrap", "local", "docker", "podman"] as const;
export type EnvironmentKind = (typeof ENVIRONMENT_KINDS)[number];

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
  /** `Infinity`: it may take as long as it likes. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly trace?: CommandTrace;
  /**
   * `traced`: all that it prints is for `trace` alone, and may have no end; it is taken at a pace that leaves time for
   * others, and of it the result has no more than the end.
   */
  readonly output?: "traced";
  /** What this command may reach besides what all may, as in `network`; somebody has judged them. */
  readonly hosts?: readonly string[];
}

/** A program that runs until it is ended. */
export interface StartOptions extends ProgramOrder {
  /** As of a command's trace. */
  readonly mark: string;
  /** In bubblewrap: absolute real path of a folder of the runtime's own. It is at `OWN_FOLDER` in there, and may be written. */
  readonly own?: string;
}

export const OWN_FOLDER = "/run/legion";

/**
 * Where the commands of one agent run. E1, E5 and E6 hold for programs that are started as well.
 *   E1. A command sees no variable of the runtime but those that every program needs; never a secret.
 *   E2. When `execute` settles, nothing that the command started is running.
 *   E3. `execute` settles soon after the shell ends, whoever still holds its output, and soon after `timeoutMs` or an
 *       abort, whatever the command ignores.
 *   E4. Output is bounded: a command that prints without end is ended, or slowed down where all of it is only traced.
 *   E5. No command outlives an orderly exit of the runtime.
 *   E6. What a runtime that was killed left running is found by its mark, and ended.
 */
export interface Environment {
  readonly kind: EnvironmentKind;
  /** What runs there reaches nothing but the workspace and the hosts that a person allowed: a command needs no question. */
  readonly isSandbox: boolean;
  /** The same for those that confine alike what runs in the same place. */
  readonly confinement: string;
  /** For people and models, one line: where commands run, and what they reach. */
  readonly description: string;
  /** Runs `command` in a shell without standard input. Resolves whatever comes of it; rejects if no shell starts. */
  execute(command: string, options: ExecuteOptions): Promise<CommandRun>;
  /** Starts a program with pipes, as it is, without a shell. Rejects with REFUSED where it does not start. */
  start(options: StartOptions): Promise<StartedProgram>;
  /** The variables for a program that outlives one action, and runs outside: those of E1, and `mark`. */
  variables(mark: string): Readonly<Record<string, string>>;
  /** Ends everything whose mark begins with `mark`, which is long and random. Says whether there was anything. */
  endLeft(mark: string): Promise<boolean>;
  /** Nothing is executed any more. */
  close(): Promise<void>;
}

/** What git knows of a worktree lies elsewhere: absolute real paths of folders. */
export interface WorktreeRepository {
  /** What all worktrees share. */
  readonly shared: string;
  /** In there: what is its own. */
  readonly own: string;
}

/** Where an agent works. */
export interface WorkspacePlace {
  /** Absolute real path of the folder. */
  readonly root: string;
  /** Of a worktree of its own; absent: it is none. */
  readonly branch?: string;
  readonly repository?: WorktreeRepository;
}

/** Whose environment it is, and what it stands on. */
export interface EnvironmentPlace {
  /** The id of the agent. */
  readonly agent: string;
  /** Absolute real path: commands work there. */
  readonly workspace: string;
  /** Where git keeps what it knows of the workspace; absent: in there. */
  readonly repository?: WorktreeRepository;
  /** Absolute real path of the folder whose `.ai-legion` holds the state of legions. */
  readonly project: string;
  /** Absolute real path of the folder in there that holds the state of this one. */
  readonly home: string;
  /** Relative to the workspace: what commands may only read, and what not even that. */
  readonly protectedPaths: readonly string[];
  readonly privatePaths: readonly string[];
  /** Absolute real path of the folder that is HOME in there; absent: one of the agent's own. */
  readonly ownHome?: string;
  /** Absolute real paths of folders that commands may read, wherever they lie and whatever they are called. */
  readonly readable?: readonly string[];
  readonly network: Pick<Network, "openProxy">;
  /** Told what of the workspace was moved out of it, as only commands could have made it: paths relative to it. */
  readonly onSetAside?: (paths: readonly string[]) => void;
}

/** Opens an agent's own environment; whoever opens it closes it. */
export type OpenEnvironment = (place: EnvironmentPlace) => Promise<Environment>;
