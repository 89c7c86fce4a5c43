// Commands in a sandbox of bubblewrap, each in one of its own.
//
//   E7. Nothing of the disk but what programs need, the workspace, and the agent's own home and /tmp is there.
//   E8. Nothing is reached over a network but what a person allowed; without that there is none.
//   E9. All of it ends with the command, and with the runtime, however that ends.

import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandRun } from "../../domain/authoring/workspace.ts";
import type { Environment, EnvironmentPlace, ExecuteOptions } from "../environment.ts";
import { guardOf } from "../guard/guard.ts";
import { tellSetAside } from "../guard/set-aside.ts";
import { HOME } from "../lodging.ts";
import { openCommandProxy, type CommandProxy } from "../network/proxy/command-proxy.ts";
import { missedNetwork } from "../network/proxy/missed.ts";
import { endTree } from "../process-tree.ts";
import { createLivingCommands, passedOn, pick } from "../running-command.ts";
import { innerLimits, makeCgroup, type Cgroup } from "./limits.ts";
import { fixedArgs, guardArgs, type ProfileOptions } from "./profile.ts";
import { inheritedFiles } from "./open-files.ts";
import { OWN_FILES, runSandboxed } from "./sandboxed.ts";
import { callFilter } from "./system-calls.ts";

export interface BubblewrapOptions extends ProfileOptions {
  /** The path of bwrap. */
  readonly program: string;
  readonly place: EnvironmentPlace;
  /** What every command may reach. */
  readonly hosts: readonly string[];
  /** Names of variables that commands see besides. */
  readonly pass: readonly string[];
  readonly description: string;
}

const NO_NETWORK =
  "Commands have no network here: name the hosts that this one needs in the parameter network, such as `network: example.com`.";

export async function createBubblewrap(options: BubblewrapOptions): Promise<Environment> {
  const { place, folders, variables, pass, description } = options;
  const own = passedOn(variables);
  const living = createLivingCommands();
  const always = fixedArgs(options);
  const outer = outerOf(options);
  const guard = guardOf(place, folders);
  tellSetAside(await guard.settle(), place);

  /** Of all commands of this agent together. */
  let cgroup: { readonly made: Cgroup | undefined } | undefined;

  async function runWith(
    command: string,
    run: ExecuteOptions,
    { protect, proxy }: { readonly protect: Parameters<typeof guardArgs>[1]; readonly proxy?: CommandProxy },
  ): Promise<CommandRun> {
    const mark = run.trace?.mark ?? randomUUID();
    const set = { HOME, TMPDIR: "/tmp", PAGER: "cat", LEGION_COMMAND: "1", LEGION_RUN: mark };
    const seen = { ...own, ...pick(variables, pass), ...set, ...proxy?.variables };
    const args = [
      ...always,
      ...(proxy?.mounts ?? []),
      ...guardArgs(options, protect),
      ...["--chdir", run.cwd],
      ...Object.entries(seen).flatMap(([name, value]) => ["--setenv", name, value]),
    ];
    const limits = innerLimits();
    const bound = limits === "" ? [] : ["sh", "-c", `${limits}exec "$@"`, "sh"];
    const inside = [...(proxy?.forwarder ?? []), ...bound, options.abilities.shell, "-c", command];
    cgroup ??= { made: makeCgroup() };
    return runSandboxed({ ...outer, args, inside, cgroup: cgroup.made, living }, run);
  }

  return {
    kind: "bubblewrap",
    // With this machine's network its loopback and abstract sockets are there, too, whoever listens on them.
    isSandbox: options.network === "off",
    description,
    async execute(command, run) {
      if (run.signal.aborted) return { output: "", exitCode: null, ended: "aborted" };
      const hosts = options.network === "on" ? [] : [...options.hosts, ...(run.hosts ?? [])];
      const proxy = hosts.length > 0 ? await openCommandProxy(place.network, hosts) : undefined;
      const watch = await guard.begin();
      const remarks: string[] = [];
      let result: CommandRun;
      try {
        result = await runWith(command, run, { protect: watch.protect, proxy });
      } finally {
        remarks.push(...tellSetAside(await watch.end(), place));
        await proxy?.close();
      }
      remarks.push(...(proxy?.refused() ?? whatLacked(options, result)));
      return remarks.length === 0 ? result : { ...result, remarks };
    },
    variables: (mark) => ({ ...own, LEGION_RUN: mark }),
    endLeft: (mark) => endTree(undefined, mark),
    close: async () => cgroup?.made?.remove(),
  };
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
