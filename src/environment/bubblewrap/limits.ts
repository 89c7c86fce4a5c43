// How much one command may take: processes, memory, the size of a file, the disk.

import { existsSync, mkdirSync, readFileSync, rmdirSync, statfsSync, writeFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { release } from "node:os";
import { dirname, join } from "node:path";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { EndReason } from "../running-command.ts";

export const MAX_PROCESSES = 1_024;
const MAX_FILE_BYTES = 1024 ** 3;
const MAX_DATA_BYTES = 2 * 1024 ** 3;
const MAX_MEMORY_BYTES = 4 * 1024 ** 3;
/** A command that fills the disk is ended while others can still write. */
const MIN_FREE_BYTES = 128 * 1024 ** 2;
const LOOK_MS = 50;

/**
 * Outside of the sandbox, before it is made. The data, not the address space: WebAssembly reserves much of that and uses
 * little. If memory runs out, it is not the runtime that is ended.
 */
export const OUTER_LIMITS = [
  `ulimit -c 0; ulimit -f ${MAX_FILE_BYTES / 512}; ulimit -d ${MAX_DATA_BYTES / 1024}`,
  "echo 1000 >/proc/self/oom_score_adj",
].join("; ");

/** Inside, where the kernel counts only what is in there: since Linux 5.14. Root is bound by no such count. */
export function innerLimits(): string {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  const isCounted = process.getuid?.() !== 0 && (major > 5 || (major === 5 && minor >= 14));
  // As dash calls it, and as bash does.
  return isCounted ? `{ ulimit -p ${MAX_PROCESSES} || ulimit -u ${MAX_PROCESSES}; } 2>/dev/null; ` : "";
}

/** A group of processes that the kernel counts. */
export interface Cgroup {
  /** For a shell, which goes in; absent: it has to be taken in. */
  readonly enter?: string;
  /** Takes in a process, for which the kernel may wait some milliseconds until nobody on the machine is just being started. */
  join(pid: number): Promise<void>;
  remove(): Promise<void>;
}

/** Absent: none can be made here, which is so for all but root, and in many a container. */
export function makeCgroup(): Cgroup | undefined {
  const name = `ai-legion-${randomUUID()}`;
  const made: string[] = [];
  try {
    for (const [controller, limits] of Object.entries(LIMITS)) {
      const folder = makeFolder(controller, name, made);
      for (const [file, limit] of Object.entries(limits)) {
        if (folder !== undefined && existsSync(join(folder, file)))
          writeFileSync(join(folder, file), `${limit}`);
      }
    }
    const isPids = made.some((folder) => existsSync(join(folder, "pids.max")));
    // One thread that goes in by itself waits for nobody: version 1 alone has a file for that.
    const doors = made.map((folder) => join(folder, "tasks"));
    const enter = doors.every(isPlain)
      ? doors.map((door) => `echo 0 >${door} || exit`).join("; ")
      : undefined;
    if (isPids) return { enter, join: (pid) => joinAll(made, pid), remove: () => remove(made) };
  } catch {
    // Made by halves it is of no use.
  }
  made.forEach(removeNow);
  return undefined;
}

const LIMITS = {
  pids: { "pids.max": MAX_PROCESSES },
  memory: { "memory.limit_in_bytes": MAX_MEMORY_BYTES, "memory.max": MAX_MEMORY_BYTES },
} as const;

/** Nothing that a shell would take for more than a path. */
function isPlain(path: string): boolean {
  return /^[\w./@:-]+$/.test(path) && existsSync(path);
}

/** Under the group of this process, or the nearest above it where the controller counts. */
function makeFolder(controller: string, name: string, made: string[]): string | undefined {
  const lines = readFileSync("/proc/self/cgroup", "utf8").trim().split("\n");
  for (const line of lines) {
    const [, controllers = "", path = "/"] = line.split(":");
    const isUnified = controllers === "";
    if (!isUnified && !controllers.split(",").includes(controller)) continue;
    const root = isUnified ? "/sys/fs/cgroup" : join("/sys/fs/cgroup", controllers);
    for (let above = path; ; above = dirname(above)) {
      const folder = join(root, above, name);
      if (made.includes(folder)) return folder;
      if (tryFolder(folder, controller)) {
        made.push(folder);
        return folder;
      }
      if (above === "/") break;
    }
  }
  return undefined;
}

function tryFolder(folder: string, controller: string): boolean {
  try {
    mkdirSync(folder);
  } catch {
    return false;
  }
  const limits = [
    join(folder, "pids.max"),
    join(folder, "memory.limit_in_bytes"),
    join(folder, "memory.max"),
  ];
  if (limits.some((file) => file.includes(`/${controller}.`) && existsSync(file))) return true;
  removeNow(folder);
  return false;
}

function removeNow(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody else's, or gone.
  }
}

async function joinAll(folders: readonly string[], pid: number): Promise<void> {
  await Promise.all(folders.map((folder) => writeFile(join(folder, "cgroup.procs"), String(pid))));
}

/** The kernel lets go of what ended a moment ago a little later. */
async function remove(folders: readonly string[]): Promise<void> {
  for (let round = 0; round < 50 && folders.some((folder) => existsSync(folder)); round++) {
    folders.forEach(removeNow);
    if (folders.some((folder) => existsSync(folder))) await delay(10);
  }
}

export interface Watched {
  /** The first process of the sandbox. */
  readonly init: () => number | undefined;
  readonly workspace: string;
  /** The kernel does not: then it is done here. */
  readonly countsProcesses: boolean;
  readonly everyMs?: number;
}

/** Looks again and again at what no limit of the kernel covers, until the answer is called. */
export function watchLimits(
  { init, workspace, countsProcesses, everyMs = LOOK_MS }: Watched,
  end: (why: EndReason) => void,
) {
  const hadSpace = hasSpace(workspace);
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (hadSpace && !hasSpace(workspace)) end("disk full");
    const first = init();
    if (!countsProcesses || first === undefined || isLooking) return;
    isLooking = true;
    if (await isCrowded(first)) end("too many processes");
    isLooking = false;
  };
  const timer = setInterval(() => void look(), everyMs).unref();
  return () => clearInterval(timer);
}

function hasSpace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    return true;
  }
}

async function isCrowded(init: number): Promise<boolean> {
  const rest = [init];
  let count = 0;
  for (let next = rest.pop(); next !== undefined && count <= MAX_PROCESSES; next = rest.pop()) {
    for (const thread of await readdir(`/proc/${next}/task`).catch(() => [])) {
      count++;
      const children = await readFile(`/proc/${next}/task/${thread}/children`, "utf8").catch(() => "");
      rest.push(...children.trim().split(" ").filter(Boolean).map(Number));
    }
  }
  return count > MAX_PROCESSES;
}
