// Commands in a sandbox of bubblewrap, each in one of its own.
//
//   E7. Nothing of the disk but what programs need, the workspace, and the agent's own home and /tmp is there.
//   E8. Nothing is reached over a network but what a person allowed; without that there is none.
//   E9. All of it ends with the command, and with the runtime, however that ends.

import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../../base/files/project-file.ts";
import type { CommandRun } from "../../domain/authoring/workspace.ts";
import type { StartedProgram } from "../../domain/authoring/program.ts";
import {
  OWN_FOLDER,
  type Environment,
  type EnvironmentPlace,
  type ExecuteOptions,
  type StartOptions,
} from "../environment.ts";
import { guardsOf, type Guards } from "../guard/guards.ts";
import { readableFolders } from "../guard/readable.ts";
import { tellSetAside } from "../guard/set-aside.ts";
import { HOME } from "../lodging.ts";
import { openCommandProxy, type CommandProxy } from "../network/proxy/command-proxy.ts";
import { missedNetwork } from "../network/proxy/missed.ts";
import { endTree } from "../process-tree.ts";
import { createLivingCommands, passedOn, pick } from "../running-command.ts";
import type { EnvironmentChoice } from "../settings.ts";
import { innerLimits, makeCgroup, type Cgroup } from "./limits.ts";
import { fixedArgs, guardArgs, readableArgs, type ProfileOptions } from "./profile.ts";
import { inheritedFiles } from "./open-files.ts";
import { programFiles } from "./program-files.ts";
import { OWN_FILES, runSandboxed, startSandboxed } from "./sandboxed.ts";
import { callFilter } from "./system-calls.ts";

export interface BubblewrapOptions extends ProfileOptions {
  /** The path of bwrap. */
  readonly program: string;
  readonly place: EnvironmentPlace;
  /** What every command may reach. */
  readonly hosts: readonly string[];
  /** Names of variables that commands see besides. */
  readonly pass: readonly string[];
  readonly set?: EnvironmentChoice["set"];
  readonly interpreter?: readonly string[];
  readonly description: string;
  readonly confinement: string;
}

const NO_NETWORK =
  "Commands have no network here: name the hosts that this one needs in the parameter network, such as `network: example.com`.";

export async function createBubblewrap(options: BubblewrapOptions): Promise<Environment> {
  const { place, folders, variables, pass, description, confinement } = options;
  const own = passedOn(variables);
  const shown = { ...options, shown: await readableFolders(place) };
  const sandboxes = createSandboxes(shown);
  const guards = guardsOf(place, folders);
  tellSetAside(await guards.settle(), place);

  function runWith(
    command: string,
    run: ExecuteOptions,
    confined: Pick<Sandboxing, "guarded" | "proxy">,
  ): Promise<CommandRun> {
    const mark = run.trace?.mark ?? randomUUID();
    const always = { HOME, TMPDIR: "/tmp", PAGER: "cat" };
    const marks = { LEGION_COMMAND: "1", LEGION_RUN: mark };
    const seen = { ...own, ...pick(variables, pass), ...always, ...options.set, ...marks };
    const program = [...shellOf(options), command];
    return runSandboxed(sandboxes.around(program, { ...confined, cwd: run.cwd, seen }), run);
  }

  return {
    kind: "bubblewrap",
    // With this machine's network its loopback and abstract sockets are there, too, whoever listens on them.
    isSandbox: options.network === "off",
    description,
    confinement,
    async execute(command, run) {
      if (run.signal.aborted) return { output: "", exitCode: null, ended: "aborted" };
      const hosts = options.network === "on" ? [] : [...options.hosts, ...(run.hosts ?? [])];
      const proxy = await proxyFor(hosts, place);
      const watch = await guards.begin("writes");
      const remarks: string[] = [];
      let result: CommandRun;
      try {
        result = await runWith(command, run, { guarded: guardArgs(shown, watch), proxy });
      } finally {
        remarks.push(...tellSetAside(await watch.end(), place));
        await proxy?.close();
      }
      remarks.push(...(proxy?.refused() ?? whatLacked(options, result)));
      return remarks.length === 0 ? result : { ...result, remarks };
    },
    start: (program) => startProgram(program, { options, guards, sandboxes }),
    variables: (mark) => ({ ...own, LEGION_RUN: mark }),
    endLeft: (mark) => endTree(mark),
    close: sandboxes.close,
  };
}

/** The one that was chosen, as far as it is there. */
function shellOf({ interpreter, abilities: { shell } }: BubblewrapOptions): readonly string[] {
  const isThere = interpreter !== undefined && (interpreter[0] === "sh" || shell === "bash");
  return isThere ? interpreter : [shell, "-c"];
}

function proxyFor(
  hosts: readonly string[],
  { network }: Pick<EnvironmentPlace, "network">,
): Promise<CommandProxy> | undefined {
  return hosts.length > 0 ? openCommandProxy(network, hosts) : undefined;
}

/** What is run in a sandbox of its own each. */
function createSandboxes(options: BubblewrapOptions) {
  const living = createLivingCommands();
  const { place, folders, shown = [] } = options;
  const elsewhere = shown.filter(({ path }) => !isInside(place.workspace, path));
  const always = fixedArgs(options, readableArgs(elsewhere, folders));
  const outer = outerOf(options);
  /** Of all commands of this agent together. */
  let cgroup: { readonly made: Cgroup | undefined } | undefined;
  return {
    around(program: readonly string[], made: Sandboxing): Parameters<typeof runSandboxed>[0] {
      const { guarded, proxy, cwd, seen, mounts = always } = made;
      const args = [
        ...mounts,
        ...(proxy?.mounts ?? []),
        ...guarded,
        ...["--chdir", cwd],
        ...Object.entries({ ...seen, ...proxy?.variables }).flatMap((pair) => ["--setenv", ...pair]),
      ];
      const limits = innerLimits();
      const bound = limits === "" ? [] : ["sh", "-c", `${limits}exec "$@"`, "sh"];
      const inside = [...(proxy?.forwarder ?? []), ...bound, ...program];
      cgroup ??= { made: makeCgroup() };
      return { ...outer, args, inside, cgroup: cgroup.made, living };
    },
    close: async (): Promise<void> => cgroup?.made?.remove(),
  };
}

interface Confining {
  readonly options: BubblewrapOptions;
  readonly guards: Guards;
  readonly sandboxes: ReturnType<typeof createSandboxes>;
}

async function startProgram(
  program: StartOptions,
  { options, guards, sandboxes }: Confining,
): Promise<StartedProgram> {
  const { place, variables } = options;
  const { command, args, cwd, env, network, workspace, mark, own } = program;
  const profile = { ...options, network: network === "on" ? "on" : "off", workspace } as const;
  const bound = own === undefined ? [] : ["--bind", own, OWN_FOLDER];
  const mounts = fixedArgs(profile, [...programFiles(program, variables, place), ...bound]);
  const watch = await guards.begin(workspace);
  let proxy: CommandProxy | undefined;
  const settle = async (): Promise<void> => {
    tellSetAside(await watch.end(), place);
    await proxy?.close();
  };
  try {
    proxy = await proxyFor(typeof network === "string" ? [] : network, place);
    const { missed, refused } = proxy ?? {};
    const seen = { ...passedOn(variables), HOME, TMPDIR: "/tmp", ...env, LEGION_RUN: mark };
    const guarded = guardArgs(profile, watch);
    const order = sandboxes.around([command, ...args], { proxy, cwd, seen, mounts, guarded });
    return await startSandboxed(order, cwd, { missed, refused, settle });
  } catch (error) {
    await settle();
    throw error;
  }
}

/** What one sandbox is made with beside what all have. */
interface Sandboxing {
  /** As `guardArgs` says. */
  readonly guarded: readonly string[];
  readonly proxy: CommandProxy | undefined;
  readonly cwd: string;
  /** Variables. */
  readonly seen: Readonly<Record<string, string>>;
  /** Absent: those of every command. */
  readonly mounts?: readonly string[];
}

function whatLacked({ network }: BubblewrapOptions, result: CommandRun): readonly string[] {
  return network === "off" && missedNetwork(result) ? [NO_NETWORK] : [];
}

/** What holds for the process that makes each sandbox. */
function outerOf({ program, place, folders }: BubblewrapOptions) {
  const calls = callFilter();
  const path = join(folders.etc, "call-filter");
  if (calls) writeFileSync(path, calls);
  const inherited = inheritedFiles(OWN_FILES);
  return { program, workspace: place.workspace, inherited, callFilter: calls && path };
}
