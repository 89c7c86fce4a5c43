import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setImmediate as others, setTimeout as delay } from "node:timers/promises";
import { LegionError } from "../../base/errors.ts";
import type { CommandRun } from "../../domain/workspace.ts";
import type { ExecuteOptions } from "../environment.ts";
import { signalGroup, signalProcess } from "../process-tree.ts";
import { attend, type createLivingCommands } from "../running-command.ts";
import { innerLimits, OUTER_LIMITS, watchLimits, type Cgroup } from "./limits.ts";
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
  readonly living: ReturnType<typeof createLivingCommands>;
}

/** Of bwrap itself, less some room. */
const MAX_ARGS = 8_900;
const STATUS = 3;
const ARGS = 4;
const BLOCK = 5;
/** How long to wait for the first word of bwrap where it is needed. */
const STATUS_MS = 200;
const END_MS = 5_000;
/** What ends by itself is gone before that. */
const SOON_MS = 2;
const POLL_MS = 1;

/** Rejects, saying what bwrap says, if the sandbox cannot be made. */
export async function runSandboxed(order: SandboxOrder, options: ExecuteOptions): Promise<CommandRun> {
  const { program, args, inside, workspace, cgroup, living } = order;
  if (args.length > MAX_ARGS) {
    const most =
      "a sandbox can hide or protect some 2,500 files, and this workspace has more with protected names";
    throw new LegionError("REFUSED", most);
  }
  const isTaken = cgroup !== undefined && cgroup.enter === undefined;
  const block = isTaken ? ["--block-fd", String(BLOCK)] : [];
  const told = [...args, "--json-status-fd", String(STATUS), ...block];
  // One pipe for both streams: what was printed first is read first.
  const script = ["exec 2>&1", cgroup?.enter ?? ":", OUTER_LIMITS, 'exec "$@"'].join("; ");
  const wrapped = [program, "--args", String(ARGS), "--", ...inside];
  // bwrap is the first process inside, and shows there what it was started with: nothing.
  const child = spawn("/bin/sh", ["-c", script, "sh", ...wrapped], {
    cwd: options.cwd,
    env: {},
    detached: true,
    stdio: ["ignore", "pipe", "ignore", "pipe", "pipe", ...(isTaken ? (["pipe"] as const) : [])],
  });
  await once(child, "spawn");
  const status = listen(child);
  write(child, ARGS, told.map((arg) => `${arg}\0`).join(""));
  if (isTaken) void letRun(child, status, cgroup);
  const countsProcesses = !cgroup && innerLimits() === "";
  const running = {
    child,
    stdout: child.stdout!,
    terminate: async () => {
      await Promise.race([status.told, delay(STATUS_MS)]);
      terminate(child, status.init());
    },
    kill: () => endSandbox(child, status.init()),
    watch: (end: Parameters<typeof watchLimits>[1]) =>
      watchLimits({ init: status.init, workspace, countsProcesses }, end),
  };
  const result = await living.during(
    () => signalGroup(child.pid!, "SIGKILL"),
    () => attend(running, options),
  );
  if (result.ended === undefined && !status.hasStarted()) throw notMade(result.output);
  return result;
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
