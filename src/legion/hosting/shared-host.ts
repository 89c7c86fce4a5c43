// Where all agents of this process work, and what their modules may ask for them together.

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join, relative } from "node:path";
import type { TracedWorkplace, Workplace } from "../../agent/parts/workplace.ts";
import { shownPath } from "../../base/files/project-file.ts";
import { asideOf } from "../../environment/lodging.ts";
import { openSnapshots, type SnapshotLimits, type Snapshots } from "../../environment/snapshots/snapshots.ts";
import { createNetwork } from "../../environment/network/network.ts";
import type { Clock } from "../../base/clock.ts";
import { SHUTDOWN } from "../../base/process/signals.ts";
import type { Closing } from "../../base/process/closing.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import type { Environment, OpenEnvironment } from "../../environment/environment.ts";
import type { NodeHost } from "../../domain/authoring/host.ts";
import type { ServerStatus } from "../../domain/authoring/server-status.ts";
import { legionPaths, type LegionPaths } from "../../storage/folder/paths.ts";
import type { Shared } from "../../agent/parts/agent.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import { enumerate } from "../../base/text/wording.ts";
import { markOf } from "../../agent/parts/command-trace.ts";
import type { MemoryId } from "../../domain/memory/memory-id.ts";
import type { Memories } from "../../storage/contract/memory/memories.ts";
import { openWrites } from "../../past/receipts/writes.ts";
import { openingIn } from "./reached-memories.ts";
import { createPrograms } from "./programs.ts";
import { openFolders, type FolderOwner, type OwnFolder } from "./worktrees.ts";

export interface PremisesDeps {
  readonly paths: LegionPaths;
  readonly clock: Clock;
  readonly environment: Environment;
  readonly settings: Workplace["settings"];
  readonly peers: Workplace["peers"];
  readonly tellControl: Shared["tellControl"];
  readonly memories: Pick<Memories, "read" | "search" | "known" | "change">;
  /** Absent: nothing is hidden. */
  readonly redactor?: Redactor;
  /** Absent: the usual ones. */
  readonly snapshots?: SnapshotLimits;
  /** Gets what modules open here. */
  readonly closing: Pick<Closing, "add">;
}

/** The setting of `system` that says what agents keep their hands off. */
interface SystemPaths {
  readonly protectedPaths?: readonly string[];
  readonly privatePaths?: readonly string[];
}

/** A program that was ended a moment ago may still be closing its files. */
const DELETION = { recursive: true, force: true, maxRetries: 10 } as const;

/** What an agent may have of its own. */
export interface Lodging extends OwnFolder {
  /** Where its commands run; absent: where the legion says. */
  readonly environment?: OpenEnvironment;
  /** Folders that its commands may read in a sandbox, such as those of its skills, whose scripts are commands; absent: none. */
  readonly readable?: readonly string[];
  /** The long-term memories that it reaches, the one that it writes to first; absent: none. */
  readonly memories?: readonly MemoryId[];
}

export type Premises = ReturnType<typeof createPremises>;

export function createPremises(deps: PremisesDeps) {
  const { paths, clock, environment, settings, peers, redactor, closing } = deps;
  const { project, root: home } = paths;
  const mark = markOf(`node ${home}`);
  const scratch = join(paths.tmp, "modules");
  // The setting was checked with the rest of the config.
  const { allowPrivate = [] } = settings("web") as { readonly allowPrivate?: readonly string[] };
  const network = createNetwork({ allowPrivate, redactor });
  closing.add(network.close);
  const tellers: (() => readonly ServerStatus[])[] = [];
  const programsOf = createPrograms({ mark, outside: environment, closing });
  const [openMemories, writesTo] = [openingIn(deps.memories), openWrites(clock.now)];
  const snapshots = openSnapshots(join(paths.tmp, "snapshots"), closing, deps.snapshots);
  const openFolder = openFolders(paths, environment.variables(mark));
  const node: NodeHost = {
    ...{ network, clock, scratch, environment: environment.variables(mark), onClose: closing.add },
    onStatus: (tell) => void tellers.push(tell),
  };
  return {
    /** Where an agent works. Rejects if its environment does not work here. */
    async open(lodger: Lodging & FolderOwner): Promise<TracedWorkplace> {
      const { identity, environment: openOwn, readable } = lodger;
      const { root, branch, repository } = await openFolder(lodger);
      // Which are protected may have changed with the agents that came since.
      const { protectedPaths = [], privatePaths = [] } = settings("system") as SystemPaths;
      const place = {
        ...{ agent: identity.id, workspace: root, repository, project, home },
        ...{ network, protectedPaths, privatePaths, readable },
        onSetAside: setAsideTeller(deps, identity.id, root),
      };
      const opened = await openOwn?.(place);
      const used = opened ?? environment;
      const commands = { environment: used, writes: writesTo(root), agent: identity.id };
      const looks = snapshots.of({ environment: used, workspace: root, repository, mark });
      return {
        workspace: tracedWorkspace(commands, looks, { root, branch, home: relative(root, home) }),
        ...{ environment: used, writes: commands.writes, node },
        programs: programsOf({ used, open: openOwn, place }),
        settings,
        peers,
        memories: await openMemories(lodger.memories),
        close: () => looks.close().then(() => opened?.close()),
      };
    },
    writesTo,
    /** The servers that modules speak with for all agents. */
    servers(): readonly ServerStatus[] {
      const told = tellers.flatMap((tell) => tell());
      return redactor ? redactor.value(told) : told;
    },
    /** Ends what a process before this one was killed too fast to end, and deletes what it wrote. The folder has to be this process's own. */
    async endLeft(): Promise<void> {
      await environment.endLeft(mark);
      // It was deleted with all temporary files, but what still ran may have gone on writing.
      await rm(scratch, DELETION);
    },
  };
}

/** Where the commands of an agent run. */
interface CommandSite extends Pick<TracedWorkplace, "writes"> {
  readonly environment: Environment;
  readonly agent: AgentId;
}

function tracedWorkspace(
  { environment, writes, agent }: CommandSite,
  looks: Snapshots,
  place: Pick<TracedWorkplace["workspace"], "root" | "branch" | "home">,
): TracedWorkplace["workspace"] {
  return {
    ...place,
    async execute(command, { folder = "", changes: wanted, ...run }) {
      const execute = () => environment.execute(command, { cwd: join(place.root, folder), ...run });
      // Of one that goes on when its call is over nobody waits for the end.
      const beside = run.output === "traced" ? writes.begin({ agent, ran: command }) : undefined;
      const begun = wanted && (await looks.begin());
      try {
        const ended = await execute();
        const changes = run.signal.reason === SHUTDOWN ? undefined : await begun?.end();
        return { ...ended, ...(changes && { changes }) };
      } finally {
        await begun?.close();
        beside?.end({ hasWritten: true });
      }
    },
    endLeft: (left) => environment.endLeft(left),
  };
}

function setAsideTeller(
  { paths: { project, root: home }, tellControl }: PremisesDeps,
  agent: AgentId,
  workspace: string,
) {
  const aside = shownPath(project, asideOf({ project, home, workspace }));
  return (moved: readonly string[]): void =>
    tellControl(agent, `set aside ${randomUUID()}`, aboutSetAside(agent, moved, aside));
}

function aboutSetAside(agent: AgentId, moved: readonly string[], to: string): string {
  return (
    `Moved to ${to}: ${enumerate(moved)}. A command or server of ${displayName(agent)} seems to have made this, under a name ` +
    "that others run or trust. If it was you, move it back."
  );
}

/** Of an agent that does not act. */
interface Dormant extends Pick<Workplace, "settings" | "peers" | "memories"> {
  readonly agent: AgentId;
  /** As of its plan. */
  readonly workspace: Lodging["workspace"];
  readonly project: string;
  /** Absolute real path of the home; that of the project's own legion if absent. */
  readonly home?: string;
}

/** For an agent that does not act: its modules find what they read, in the project as well, and everything else refuses. */
export function closedWorkplace(
  { agent, workspace: own, project, home, settings, peers, memories }: Dormant,
  refuse: () => Promise<never>,
): Workplace {
  const paths = legionPaths(project, home);
  const branch = own === "worktree" ? paths.branch(agent) : undefined;
  const workspace = { root: project, branch, home: relative(project, paths.root), execute: refuse };
  const programs = { isConfined: false, confinement: "", start: refuse, startOutside: refuse };
  return { workspace, node: closedPremises(refuse), programs, settings, peers, memories };
}

/** For agents that do not run: nothing can be asked of it. */
export function closedPremises(refuse: () => Promise<never>): NodeHost {
  return {
    network: { fetch: refuse, open: refuse, openProxy: refuse },
    clock: { now: Date.now, sleep: refuse },
    scratch: "",
    environment: {},
    onClose: () => undefined,
    onStatus: () => undefined,
  };
}
