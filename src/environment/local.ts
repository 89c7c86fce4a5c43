// Commands on this machine, without a sandbox.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { codeOf } from "../base/errors.ts";
import type { Environment } from "./environment.ts";
import { endTree, signalGroup } from "./process-tree.ts";
import { attend, createLivingCommands, passedOn, SHELL } from "./running-command.ts";
import { attendProgram, notStarted } from "./running-program.ts";

/** Runs commands as plain child processes; of `variables` they get only what every program needs. */
export function createLocalEnvironment(variables: NodeJS.ProcessEnv): Environment {
  const own = passedOn(variables);
  const living = createLivingCommands();

  return {
    kind: "local",
    isSandbox: false,
    confinement: "none",
    description: "on this machine, without a sandbox: they reach whatever this user reaches",
    async execute(command, options) {
      if (options.signal.aborted) return { output: "", exitCode: null, ended: "aborted" };
      const mark = options.trace?.mark ?? randomUUID();
      const child = spawn("sh", ["-c", SHELL, "sh", command], {
        cwd: options.cwd,
        env: { ...own, PAGER: "cat", LEGION_COMMAND: "1", LEGION_RUN: mark },
        detached: true,
        stdio: ["ignore", "pipe", "ignore"],
      });
      await once(child, "spawn");
      const group = child.pid!;
      const running = {
        child,
        stdout: child.stdout,
        terminate: () => signalGroup(group, "SIGTERM"),
        kill: () => endTree(group, mark),
      };
      return living.during(
        () => signalGroup(group, "SIGKILL"),
        () => attend(running, options),
      );
    },
    async start({ command, args, cwd, env, mark }) {
      const child = spawn(command, args, {
        // The mark lasts: no entry takes it away.
        ...{ cwd, env: { ...own, ...env, LEGION_RUN: mark }, detached: true, stdio: "pipe" },
      });
      const program = attendProgram(
        {
          child,
          terminate: () => void child.kill("SIGTERM"),
          kill: () => endTree(child.pid, mark),
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
    endLeft: (mark) => endTree(undefined, mark),
    close: () => Promise.resolve(),
  };
}
