import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setImmediate as others, setTimeout as delay } from "node:timers/promises";
import { LegionError } from "../../base/errors.ts";
import type { StartedProgram } from "../../domain/authoring/program.ts";
import type { CommandRun } from "../../domain/authoring/workspace.ts";
import type { ExecuteOptions } from "../environment.ts";
import { signalGroup, signalProcess } from "../process-tree.ts";
import { attend, type createLivingCommands } from "../running-command.ts";
import { attendProgram, refuseNul, type RunningProgram } from "../running-program.ts";
import { innerLimits, OUTER_LIMITS, watchLimits, type Cgroup } from "./limits.ts";
import { withoutFiles } from "./open-files.ts";
import type { Args } from "./system.ts";

export interface SandboxOrder {
  /** The path of bwrap. */
  readonly program: string;
  readonly args: Args;
  /** What is run inside. */
  readonly inside: readonly string[];
  readonly workspace: string;
  /** Absent: none can be made here. */
  readonly cgroup: Cgroup | undefined;
  /** As `inheritedFiles` finds them. */
  readonly inherited: readonly number[];
  /** The path of a program of the kernel's; absent: there is none for this machine. */
  readonly callFilter: string | undefined;
  readonly living: ReturnType<typeof createLivingCommands>;
}

/** Of bwrap itself, less some room. */
const MAX_ARGS = 8_900;
const STATUS = 3;
const ARGS = 4;
const BLOCK = 5;
const FILTER = 6;
/** Files up to here have a meaning. */
export const OWN_FILES = FILTER;
/** How long to wait for the first word of bwrap where it is needed. */
const STATUS_MS = 200;
const END_MS = 5_000;
/** What ends by itself is gone before that. */
const SOON_MS = 2;
const POLL_MS = 1;

/** Rejects, saying what bwrap says, if the sandbox cannot be made. */
export async function runSandboxed(order: SandboxOrder, options: ExecuteOptions): Promise<CommandRun> {
  const { child, status, ...sandbox } = await openSandbox(order, options.cwd, ONE_PIPE);
  const running = { child, stdout: child.stdout!, ...sandbox };
  const result = await order.living.during(sandbox.endNow, () => attend(running, options));
  if (result.ended === undefined && !status.hasStarted()) throw notMade(result.output);
  return result;
}

/** With pipes for input, output and errors. Where the sandbox cannot be made it has gone, and says why. */
export async function startSandboxed(
  order: SandboxOrder,
  cwd: string,
  more: Pick<RunningProgram, "missed" | "refused" | "settle">,
): Promise<StartedProgram> {
  const { child, status, watch, ...sandbox } = await openSandbox(order, cwd, THREE_PIPES);
  let why: string | undefined;
  const unwatch = watch((reason) => {
    why = `It was ended: ${reason}.`;
    sandbox.endNow();
  }, PROGRAM_LOOK_MS);
  child.once("exit", unwatch);
  const isMade = (): boolean => status.hasStarted() || child.signalCode !== null;
  const explain = (): string | undefined =>
    why ?? (isMade() ? undefined : "It could not be started in the sandbox.");
  return attendProgram({ child, explain, ...sandbox, ...more }, order.living);
}

/** What was printed first is read first: one pipe for both streams. */
const ONE_PIPE = { stdio: ["ignore", "pipe", "ignore"], redirect: "exec 2>&1" } as const;
const THREE_PIPES = { stdio: ["pipe", "pipe", "pipe"], redirect: ":" } as const;
/** It may run for days. */
const PROGRAM_LOOK_MS = 1_000;

type Pipes = typeof ONE_PIPE | typeof THREE_PIPES;

async function openSandbox(order: SandboxOrder, cwd: string, pipes: Pipes) {
  const { args, workspace, cgroup } = order;
  if (args.length > MAX_ARGS) {
    const most =
      "a sandbox can hide or protect some 2,500 files, and this workspace has more with protected names";
    throw new LegionError("REFUSED", most);
  }
  refuseNul(args);
  const child = start(order, cwd, pipes);
  await once(child, "spawn");
  const status = listen(child);
  if (isTakenIn(cgroup)) void letRun(child, status, cgroup);
  const countsProcesses = !cgroup && innerLimits() === "";
  return {
    child,
    status,
    terminate: async () => {
      await Promise.race([status.told, delay(STATUS_MS)]);
      terminate(child, status.init());
    },
    kill: () => endSandbox(child, status.init()),
    endNow: () => signalGroup(child.pid!, "SIGKILL"),
    watch: (end: Parameters<typeof watchLimits>[1], everyMs?: number) =>
      watchLimits({ init: status.init, workspace, countsProcesses, everyMs }, end),
  };
}

function start(
  { program, args, inside, cgroup, inherited, callFilter }: SandboxOrder,
  cwd: string,
  pipes: Pipes,
) {
  const isTaken = isTakenIn(cgroup);
  const block = isTaken ? ["--block-fd", String(BLOCK)] : [];
  const filter = callFilter === undefined ? [] : ["--seccomp", String(FILTER)];
  const told = [...args, "--json-status-fd", String(STATUS), ...block, ...filter];
  const open = `${pipes.redirect}${callFilter === undefined ? "" : `; exec ${FILTER}<"$1"`}; shift`;
  const script = [open, cgroup?.enter ?? ":", OUTER_LIMITS, 'exec "$@"'].join("; ");
  const stdio = [...pipes.stdio, "pipe", "pipe", isTaken ? "pipe" : "ignore"] as const;
  // bwrap is the first process inside, and shows there what it was started with: nothing.
  const child = withoutFiles(inherited, stdio, (files, closing) => {
    const wrapped = [program, ...closing, "--args", String(ARGS), "--", ...inside];
    const options = { cwd, env: {}, detached: true, stdio: files };
    return spawn("/bin/sh", ["-c", script, "sh", callFilter ?? "", ...wrapped], options);
  });
  write(child, ARGS, told.map((arg) => `${arg}\0`).join(""));
  return child;
}

/** Does somebody else have to see to it that it gets into the cgroup? */
function isTakenIn(cgroup: Cgroup | undefined): cgroup is Cgroup {
  return cgroup !== undefined && cgroup.enter === undefined;
}

/** Nothing of the command is run before it is in the cgroup; meanwhile the sandbox is made. */
async function letRun(
  child: ChildProcess,
  { told, init }: ReturnType<typeof listen>,
  cgroup: Cgroup,
): Promise<void> {
  try {
    await told;
    const pid = init();
    if (pid !== undefined) await cgroup.join(pid);
    write(child, BLOCK, "go");
  } catch {
    // It has ended already, or would run without bounds.
    signalProcess(child.pid!, "SIGKILL");
  }
}

/** Whether it could be read is seen by what comes of it. */
function write(child: ChildProcess, fd: number, text: string): void {
  (child.stdio[fd] as Writable).on("error", () => undefined).end(text);
}

/** @param output in which nobody but bwrap has had a word */
function notMade(output: string): LegionError {
  const complaint = output.trim().split("\n").at(-1);
  return new LegionError(
    "REFUSED",
    `the sandbox for this command cannot be made: ${complaint || "bwrap does not say why"}`,
  );
}

/** What bwrap says of itself: not what runs inside. */
function listen(child: ChildProcess) {
  let said = "";
  (child.stdio[STATUS] as Readable).on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  return {
    told: once(child.stdio[STATUS] as Readable, "data"),
    /** The first process inside, by its number outside. */
    init: () => {
      const [, pid] = /"child-pid"\s*:\s*(\d+)/.exec(said) ?? [];
      return pid === undefined ? undefined : Number(pid);
    },
    hasStarted: () => said.includes('"exit-code"'),
  };
}

/** Asks all but the first process inside, which takes no such request, to end. */
function terminate(child: ChildProcess, init: number | undefined): void {
  if (init !== undefined) signalGroup(init, "SIGTERM");
  else signalGroup(child.pid!, "SIGKILL");
}

/** With the first process inside ends every other. */
async function endSandbox(child: ChildProcess, init: number | undefined): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) signalProcess(child.pid!, "SIGKILL");
  if (init === undefined) return;
  signalProcess(init, "SIGKILL");
  const begun = performance.now();
  for (let waited = 0; waited < END_MS && isAlive(init); waited = performance.now() - begun)
    await (waited < SOON_MS ? others() : delay(POLL_MS));
}

function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !"ZX".includes(stat.charAt(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}
