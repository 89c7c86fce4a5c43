// Commands on this machine, without a sandbox: the invariants E1 to E4 and E6 of the contract, and
//
//   E5. No command outlives an orderly exit of the runtime.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { CommandRun } from "../domain/module.ts";
import { SHUTDOWN } from "../base/signals.ts";
import type { Environment, ExecuteOptions } from "./environment.ts";
import { endTree, signalGroup } from "./process-tree.ts";

const PASSED_ON = ["PATH", "LANG", "TERM", "HOME", "TMPDIR"];
const GRACE_MS = 2_000;
/** How long to wait for the end of the output once everything that could write to it was ended. */
const DRAIN_MS = 500;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const MAX_TIMER_MS = 2 ** 31 - 1;

// One pipe for both streams: what was printed first is read first.
const SHELL = 'exec 2>&1; if command -v bash >/dev/null; then exec bash -c "$1"; else exec sh -c "$1"; fi';

/** Runs commands as plain child processes; of `variables` they get only what every program needs. */
export function createLocalEnvironment(variables: NodeJS.ProcessEnv): Environment {
  const passedOn = pick(variables, PASSED_ON);
  const groups = new Set<number>();
  const endAll = () => groups.forEach((group) => signalGroup(group, "SIGKILL"));

  return {
    async execute(command, options) {
      if (options.signal.aborted) return { output: "", exitCode: null, ended: "aborted" };
      const mark = options.trace?.mark ?? randomUUID();
      const child = spawn("sh", ["-c", SHELL, "sh", command], {
        cwd: options.cwd,
        env: { ...passedOn, PAGER: "cat", LEGION_COMMAND: "1", LEGION_RUN: mark },
        detached: true,
        stdio: ["ignore", "pipe", "ignore"],
      });
      await once(child, "spawn");
      const group = child.pid!;
      if (groups.size === 0) process.once("exit", endAll);
      groups.add(group);
      try {
        return await watch({ child, group, mark }, options);
      } finally {
        groups.delete(group);
        if (groups.size === 0) process.off("exit", endAll);
      }
    },
    variables: (mark) => ({ ...passedOn, LEGION_RUN: mark }),
    endLeft: (mark) => endTree(undefined, mark),
  };
}

function pick(variables: NodeJS.ProcessEnv, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = variables[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

interface RunningCommand {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  readonly group: number;
  /** Stands in the environment of everything that the command starts. */
  readonly mark: string;
}

async function watch({ child, group, mark }: RunningCommand, options: ExecuteOptions): Promise<CommandRun> {
  const exited = once(child, "exit").then(() => undefined);
  const closed = once(child, "close");
  const stop = createStop(options);
  const output = collect(child.stdout, () => stop.ask("too much output"));
  if (options.trace) child.stdout.on("data", options.trace.print);

  const ended = await Promise.race([exited, stop.asked]);
  stop.dispose();
  // A process that has lost an agent has no time left: another one is about to say what came of the command.
  const isUrgent = ended === "aborted" && options.signal.reason === SHUTDOWN;
  if ((ended === "timeout" || ended === "aborted") && !isUrgent) {
    signalGroup(group, "SIGTERM");
    await Promise.race([closed, delay(GRACE_MS, undefined, { ref: false })]);
  }
  await endTree(group, mark);
  await Promise.race([closed, delay(DRAIN_MS, undefined, { ref: false })]);
  child.stdout.destroy();

  const why = ended ?? (output.isFull() ? "too much output" : undefined);
  if (why) return { output: output.text(), exitCode: null, ended: why };
  // As a shell would say it: 128 + number for one that a signal ended.
  return { output: output.text(), exitCode: child.exitCode ?? 128 + constants.signals[child.signalCode!] };
}

type EndReason = NonNullable<CommandRun["ended"]>;

/** Why the command has to be ended before its time, once there is a reason; only the first one counts. */
function createStop({ timeoutMs, signal }: ExecuteOptions) {
  let ask!: (why: EndReason) => void;
  const asked = new Promise<EndReason>((resolve) => (ask = resolve));
  const abort = () => ask("aborted");
  const timer = setTimeout(() => ask("timeout"), Math.min(timeoutMs, MAX_TIMER_MS));
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return {
    asked,
    ask,
    dispose() {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    },
  };
}

/** Keeps the first MAX_OUTPUT_BYTES; what follows is read, so that nobody blocks on a full pipe, and dropped. */
function collect(stream: Readable, onFull: () => void) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    if (bytes < MAX_OUTPUT_BYTES) chunks.push(chunk.subarray(0, MAX_OUTPUT_BYTES - bytes));
    bytes += chunk.length;
    if (bytes > MAX_OUTPUT_BYTES) onFull();
  });
  return {
    isFull: () => bytes > MAX_OUTPUT_BYTES,
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}
