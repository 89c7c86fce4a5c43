// Where an agent works, and what its modules find there.

import type { Tenure } from "../../domain/lease.ts";
import type { HostMemory } from "../../domain/authoring/memories.ts";
import type { NodeHost, Peer } from "../../domain/authoring/host.ts";
import type { Programs } from "../../domain/authoring/program.ts";
import type { Environment, ExecuteOptions } from "../../environment/environment.ts";
import type { KnownWrites } from "../../past/receipts/writes.ts";
import type { CommandOptions, CommandRun, Workspace } from "../../domain/authoring/workspace.ts";
import type { CommandChanges } from "../../environment/snapshots/changes.ts";

export interface Workplace {
  readonly workspace: PlainWorkspace;
  readonly node: NodeHost;
  readonly programs: Programs;
  /** The section of config.yaml that has the module's name. */
  readonly settings: (module: string) => Readonly<Record<string, unknown>>;
  /** Every known agent, Control not. */
  readonly peers: () => Promise<readonly Peer[]>;
  /** The long-term memories that its agent reaches, the one that it writes to first. */
  readonly memories: readonly HostMemory[];
}

/** Without what is an agent's own. */
type PlainWorkspace = Omit<Workspace, "background">;

/** One where commands can be run. */
export interface TracedWorkplace extends Workplace {
  readonly workspace: TracedWorkspace;
  /** To its folder, by all agents of this process that work there. */
  readonly writes: KnownWrites;
  readonly environment: Pick<Environment, "kind" | "isSandbox" | "description" | "variables">;
  /** Of what was opened for this agent alone. */
  close(): Promise<void>;
}

export interface TracedOptions extends CommandOptions, Pick<ExecuteOptions, "trace" | "output"> {
  /** Says what it changed. */
  readonly changes?: "told";
}

export interface TracedRun extends CommandRun {
  /** Absent: nobody looked. */
  readonly changes?: CommandChanges;
}

/** A workspace whose commands can be found again after a crash. */
export interface TracedWorkspace extends PlainWorkspace {
  /** A command without a trace belongs to no call. */
  execute(command: string, run: TracedOptions): Promise<TracedRun>;
  /** Ends what a runtime that died left running of a call; says whether there was anything. */
  endLeft(mark: string): Promise<boolean>;
}

/** The same for one agent: nothing is done there once the right to run the agent is lost. */
export function whileHeld({ workspace, ...place }: TracedWorkplace, tenure: Tenure): TracedWorkplace {
  return {
    ...place,
    workspace: {
      root: workspace.root,
      branch: workspace.branch,
      home: workspace.home,
      async execute(command, run) {
        tenure.check();
        return workspace.execute(command, run);
      },
      async endLeft(mark) {
        // Whoever runs the agent by now may be doing that call again.
        tenure.check();
        return workspace.endLeft(mark);
      },
    },
  };
}
