// Commands on this machine, without a sandbox.

import { spawn, type SpawnOptions } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { dirname } from "node:path";
import { codeOf } from "../base/errors.ts";
import type { Environment, EnvironmentPlace } from "./environment.ts";
import { endTree, rootOf, signalGroup } from "./process-tree.ts";
import { findProgram } from "./bubblewrap/system.ts";
import { openOneStream } from "./one-stream.ts";
import { attend, createLivingCommands, passedOn, type RunningCommand } from "./running-command.ts";
import { attendProgram, notStarted } from "./running-program.ts";
import type { EnvironmentChoice } from "./settings.ts";

/** Runs commands as plain child processes; of `variables` they get only what every program needs. */
export function createLocalEnvironment(
  variables: NodeJS.ProcessEnv,
  { set, interpreter }: Pick<EnvironmentChoice, "set" | "interpreter"> = {},
  place?: Pick<EnvironmentPlace, "workspace" | "project">,
): Environment {
  const own = { ...passedOn(variables), ...within(place) };
  const shown = { ...own, PAGER: "cat", ...set, LEGION_COMMAND: "1" };
  const shell = shellIn(shown, interpreter);
  const living = createLivingCommands();

  return {
    kind: "local",
    isSandbox: false,
    confinement: "none",
    description: "on this machine, without a sandbox: they reach whatever this user reaches",
    async execute(command, options) {
      if (options.signal.aborted) return { output: "", exitCode: null, ended: "aborted" };
      const mark = options.trace?.mark ?? randomUUID();
      const started = await startShell([...shell, command], {
        cwd: options.cwd,
        env: { ...shown, LEGION_RUN: mark },
      });
      const root = rootOf(started.child.pid!);
      const running = {
        ...started,
        terminate: () => signalGroup(root.pid, "SIGTERM"),
        kill: () => endTree(mark, root),
      };
      return living.during(
        () => signalGroup(root.pid, "SIGKILL"),
        () => attend(running, options),
      );
    },
    async start({ command, args, cwd, env, mark }) {
      const child = spawn(command, args, {
        // The mark lasts: no entry takes it away.
        ...{ cwd, env: { ...own, ...env, LEGION_RUN: mark }, detached: true, stdio: "pipe" },
      });
      const root = child.pid === undefined ? undefined : rootOf(child.pid);
      const program = attendProgram(
        {
          child,
          terminate: () => void child.kill("SIGTERM"),
          kill: () => endTree(mark, root),
          endNow: () => child.pid && signalGroup(child.pid, "SIGKILL"),
        },
        living,
      );
      await once(child, "spawn").catch((error: unknown) => {
        throw notStarted({ command, cwd }, codeOf(error));
      });
      return program;
    },
    variables: (mark) => ({ ...own, LEGION_RUN: mark }),
    endLeft: (mark) => endTree(mark),
    close: () => Promise.resolve(),
  };
}

const USUAL_SHELL = ["bash", "-c"];
/** Where programs are looked for where nobody says. */
const USUAL_PATH = "/usr/bin:/bin";

/** Sh where the one that was chosen is not there. */
function shellIn(
  variables: Readonly<Record<string, string>>,
  chosen: readonly string[] = USUAL_SHELL,
): readonly string[] {
  const isThere = findProgram(chosen[0]!, variables["PATH"] ?? USUAL_PATH) !== undefined;
  return isThere ? chosen : ["sh", "-c"];
}

/** Both outputs are one stream. Rejects with an error of the system. */
async function startShell(
  [program = "", ...args]: readonly string[],
  where: Required<Pick<SpawnOptions, "cwd" | "env">>,
): Promise<Pick<RunningCommand, "child" | "stdout">> {
  const { into, out } = await openOneStream();
  try {
    const child = spawn(program, args, { ...where, detached: true, stdio: ["ignore", into, into] });
    await once(child, "spawn");
    return { child, stdout: out };
  } catch (error) {
    out.destroy();
    throw error;
  } finally {
    into.destroy();
  }
}

/** Git takes a folder that is no repository for a part of one above it: of a copy in the project, for one of the project. */
function within(
  place: Pick<EnvironmentPlace, "workspace" | "project"> | undefined,
): Readonly<Record<string, string>> {
  if (!place || place.workspace === place.project) return {};
  return { GIT_CEILING_DIRECTORIES: dirname(place.workspace) };
}
