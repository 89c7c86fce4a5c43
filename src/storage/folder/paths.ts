import { basename, dirname, join, relative } from "node:path";
import { isInside } from "../../base/files/project-file.ts";
import type { AgentId } from "../../domain/message/message.ts";

/** Where a legion keeps its run-time state. */
export interface LegionPaths {
  readonly project: string;
  /** Its home: everything below is in it. */
  readonly root: string;
  readonly lock: string;
  readonly tmp: string;
  readonly corrupt: string;
  /** Agents from outside that are complete and not at their place yet; mostly not there. */
  readonly arrivals: string;
  readonly logs: string;
  readonly agents: string;
  readonly socket: string;
  /** Folders that agents have for themselves to work in. */
  readonly workspaces: string;
  /** Says which undo is under way; mostly not there. */
  readonly unfinishedUndo: string;
  agent(id: AgentId): string;
  blobs(id: AgentId): string;
  /** The branch of git on which an agent works that has a worktree of its own; there is one for each in all homes of a project. */
  branch(id: AgentId): string;
}

/** @param root the home of the legion; that of the project's own if absent */
export function legionPaths(project: string, root = join(project, ".ai-legion")): LegionPaths {
  const agents = join(root, "agents");
  const isOwn = root === join(project, ".ai-legion");
  return {
    project,
    root,
    lock: join(root, "lock"),
    tmp: join(root, "tmp"),
    corrupt: join(root, "corrupt"),
    arrivals: join(root, "arrivals"),
    logs: join(root, "logs"),
    agents,
    socket: join(root, "legion.sock"),
    workspaces: join(root, "workspaces"),
    unfinishedUndo: join(agents, "0", "undo", "begun"),
    agent: (id) => join(agents, id),
    blobs: (id) => join(agents, id, "blobs"),
    branch: (id) => `legion/${isOwn ? "" : `${basename(root)}.`}${id}`,
  };
}

/** What a person types to end the process that has it open. */
export function stopCommand(paths: LegionPaths): string {
  return commandFor("stop", paths);
}

/** What a person types to know what is wrong with it. */
export function doctorCommand(paths: LegionPaths): string {
  return commandFor("doctor", paths);
}

function commandFor(name: string, { project, root }: LegionPaths): string {
  return root === legionPaths(project).root
    ? `legion ${name}`
    : `legion ${name} --run ${runName(project, root)}`;
}

/** What a person types to go on with what is there: a batch has its own, since only that knows the copies that its agents work in. */
export function startCommand(project: string, home: string): string {
  const name = runName(project, home);
  return isRun(project, home) ? `legion start --run ${name}` : `legion batch <file> --output ${name}`;
}

/** What `--run` is given for the home of a run, or, by its folder as it is called in the project's, of a batch. */
export function runName(project: string, home: string): string {
  if (isRun(project, home)) return basename(home);
  return isInside(project, home) ? `./${relative(project, home) || "."}` : home;
}

function isRun(project: string, home: string): boolean {
  return dirname(home) === join(legionPaths(project).root, "runs");
}
