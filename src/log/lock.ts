// One running process per directory. `lock/<n>` is the identity of the holder of epoch n; the highest n counts, and
// taking over is linking n + 1, which only one process can do.

import { readFileSync, readlinkSync } from "node:fs";
import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { LegionError } from "../errors.ts";
import type { Disk } from "./disk.ts";

export interface Holder {
  readonly pid: number;
  /** When the process started, in the units of its system; tells a reused pid apart. */
  readonly start: string;
  readonly boot: string;
  readonly pidns: string;
  readonly host: string;
  /** A `node` runs for long; a `command` is done in a moment. */
  readonly role: "node" | "command";
  readonly released?: true;
}

export interface Lock {
  readonly epoch: number;
  /** False once another process has taken over: nothing that this one still writes may be acknowledged. */
  held(): boolean;
  release(): Promise<void>;
}

/** A holder that cannot be looked up (another container or boot) is alive while it touches its lock this often. */
const STALE_MS = 15_000;
const TOUCH_MS = 5_000;
const RETRY_MS = 50;

/**
 * Takes the lock of `folder`. Rejects with LOCKED, naming the pid, if a live node holds it; a command that holds it is
 * waited for up to `waitMs`.
 */
export async function takeLock(
  folder: string,
  disk: Disk,
  options: { readonly role: Holder["role"]; readonly waitMs: number },
): Promise<Lock> {
  const deadline = Date.now() + options.waitMs;
  for (;;) {
    const newest = await newestEpoch(folder, disk);
    const holder = newest === 0 ? undefined : await readHolder(folder, disk);
    if (holder && (await isAlive(holder, join(folder, String(newest))))) {
      if (holder.role === "node" || Date.now() >= deadline) {
        throw new LegionError(
          "LOCKED",
          `This directory is in use by process ${holder.pid} on ${holder.host}.`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      continue;
    }
    const epoch = newest + 1;
    const identity = identify(options.role);
    if (!(await disk.claim(join(folder, String(epoch)), JSON.stringify(identity)))) continue;
    for (const name of await disk.list(folder))
      if (Number(name) < epoch) await disk.remove(join(folder, name));
    return hold({ folder, epoch, identity }, disk);
  }
}

/** Who holds the lock of `folder` at this moment; `undefined` if nobody alive does. Takes nothing, writes nothing. */
export async function lockHolder(folder: string, disk: Disk): Promise<Holder | undefined> {
  const holder = await readHolder(folder, disk);
  const newest = await newestEpoch(folder, disk);
  return holder && (await isAlive(holder, join(folder, String(newest)))) ? holder : undefined;
}

interface Claim {
  readonly folder: string;
  readonly epoch: number;
  readonly identity: Holder;
}

function hold({ folder, epoch, identity }: Claim, disk: Disk): Lock {
  const path = join(folder, String(epoch));
  const next = join(folder, String(epoch + 1));
  let lost = false;
  const touching = setInterval(() => {
    disk.touch(path).catch(() => (lost = true));
  }, TOUCH_MS).unref();
  return {
    epoch,
    held: () => !lost && disk.exists(path) && !disk.exists(next),
    async release() {
      clearInterval(touching);
      // The file stays: the next epoch counts on from it.
      if (!lost) await disk.replace(path, JSON.stringify({ ...identity, released: true }));
      lost = true;
    },
  };
}

async function newestEpoch(folder: string, disk: Disk): Promise<number> {
  const epochs = (await disk.list(folder)).map(Number).filter(Number.isInteger);
  return Math.max(0, ...epochs);
}

async function readHolder(folder: string, disk: Disk): Promise<Holder | undefined> {
  const newest = await newestEpoch(folder, disk);
  const text = newest === 0 ? undefined : await disk.read(join(folder, String(newest)));
  try {
    return text === undefined ? undefined : (JSON.parse(text.toString("utf8")) as Holder);
  } catch {
    return undefined;
  }
}

async function isAlive(holder: Holder, path: string): Promise<boolean> {
  if (holder.released) return false;
  const self = identify("command");
  if (holder.host === self.host && holder.boot !== self.boot && self.boot !== "") return false;
  if (holder.pidns !== self.pidns || holder.boot !== self.boot) return !(await isStale(path));
  return processExists(holder.pid) && startOf(holder.pid) === holder.start;
}

async function isStale(path: string): Promise<boolean> {
  const touched = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
  return Date.now() - touched > STALE_MS;
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function identify(role: Holder["role"]): Holder {
  return {
    pid: process.pid,
    start: startOf(process.pid),
    boot: linux(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    pidns: linux(() => readlinkSync("/proc/self/ns/pid")),
    host: hostname(),
    role,
  };
}

/** Field 22 of /proc/<pid>/stat: clock ticks from boot to the start of the process (proc(5)). */
function startOf(pid: number): string {
  return linux(() => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8");
    return fields.slice(fields.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  });
}

/** What `read` finds in /proc; empty on systems that have none. */
function linux(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
