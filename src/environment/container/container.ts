// Commands in a container of docker or podman, each in one of its own, by their command line.

import { execFile, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { promisify } from "node:util";
import { LegionError } from "../../base/errors.ts";
import type { CommandRun } from "../../domain/authoring/workspace.ts";
import type { Environment, ExecuteOptions } from "../environment.ts";
import { guardOf } from "../guard/guard.ts";
import type { ProtectedEntry } from "../guard/scan.ts";
import { tellSetAside } from "../guard/set-aside.ts";
import { missedNetwork } from "../network/proxy/missed.ts";
import {
  attend,
  createLivingCommands,
  passedOn,
  pick,
  SHELL,
  type RunningCommand,
} from "../running-command.ts";
import type { ContainerOptions } from "./container-options.ts";
import { runArgs } from "./run-args.ts";

/** With one of these docker and podman say that they, and not the command, failed. */
const CANNOT_START = [125, 126, 127];
/** No core, and files of 1 GiB at most, in blocks of 512 bytes. */
const LIMITS = "ulimit -c 0; ulimit -f 2097152; ";
const PREFIX = "ai-legion-";

export function createContainerEnvironment(options: ContainerOptions): Environment {
  const { kind, place, folders, variables, description } = options;
  const guard = guardOf(place, folders);
  const own = passedOn(variables);
  const engine = createEngine(options);
  const living = createLivingCommands();

  return {
    kind,
    isSandbox: options.network === "off" && options.args.length === 0,
    description,
    async execute(command, order) {
      if (order.signal.aborted) return { output: "", exitCode: null, ended: "aborted" };
      if (order.hosts && order.hosts.length > 0 && options.network === "off")
        throw new LegionError(
          "REFUSED",
          `In ${kind} a command reaches no single hosts: its network is off. Read pages with readPage, or ask Control for bubblewrap or for \`network: on\`.`,
        );
      const time = await guard.begin();
      const remarks: string[] = [];
      let result: CommandRun;
      try {
        const container = await engine.start(command, order, time.protect);
        result = await living.during(container.endNow, () => attend(container, order));
        container.check(result);
      } finally {
        remarks.push(...tellSetAside(await time.end(), place));
      }
      if (options.network === "off" && missedNetwork(result)) remarks.push("Commands have no network here.");
      return remarks.length === 0 ? result : { ...result, remarks };
    },
    variables: (mark) => ({ ...own, LEGION_RUN: mark }),
    endLeft: (mark) => engine.endAll(`${PREFIX}${mark}`),
    close: () => Promise.resolve(),
  };
}

interface Container extends RunningCommand {
  /** Without waiting. */
  endNow(): void;
  /** Throws if it was none that ended so. */
  check(result: CommandRun): void;
}

function createEngine(options: ContainerOptions) {
  const { kind, program, variables } = options;
  const env = { ...variables };
  const tell = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(program, args, { env })).stdout;
  /** What it names may be gone. */
  const attempt = (...args: readonly string[]): Promise<void> =>
    tell(...args).then(
      () => undefined,
      () => undefined,
    );
  return {
    async start(
      command: string,
      { trace, cwd }: ExecuteOptions,
      protect: readonly ProtectedEntry[],
    ): Promise<Container> {
      const mark = trace?.mark ?? randomUUID();
      const name = `${PREFIX}${mark}`;
      // Values of variables stand in no command line, which every user of this machine can read.
      const passed = { ...pick(variables, options.pass), LEGION_RUN: mark };
      const args = runArgs(options, { name, cwd, passed: Object.keys(passed), protect });
      const child = spawn(program, [...args, "sh", "-c", `${LIMITS}${SHELL}`, "sh", command], {
        cwd,
        env: { ...env, ...passed },
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      let complaint = "";
      child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString("utf8").slice(0, 2_000)));
      await once(child, "spawn");
      return {
        child,
        stdout: child.stdout,
        terminate: () => attempt("kill", "--signal", "TERM", name),
        async kill() {
          // With its first process everything in it ended.
          if (child.exitCode !== null) return;
          await attempt("kill", "--signal", "KILL", name);
          child.kill("SIGKILL");
          await attempt("rm", "--force", name);
        },
        endNow: () => void spawnSync(program, ["kill", "--signal", "KILL", name], { env }),
        check({ exitCode }) {
          if (!CANNOT_START.includes(exitCode ?? 0) || complaint === "") return;
          const why = complaint.trim().split("\n").at(-1);
          throw new LegionError("REFUSED", `${kind} cannot start a container: ${why}`);
        },
      };
    },
    /** Those whose name begins so; says whether there were any. */
    async endAll(prefix: string): Promise<boolean> {
      const listed = await tell("ps", "--all", "--filter", `name=^${prefix}`, "--format", "{{.Names}}");
      const left = listed.split("\n").filter((name) => name.startsWith(prefix));
      for (const name of left) await attempt("kill", "--signal", "KILL", name);
      return left.length > 0;
    },
  };
}
