// One running process per directory. `lock/<n>` is the identity of the holder of epoch n; the highest n counts, and
// taking over is linking n + 1, which only one process can do.

import { readFileSync, readlinkSync } from "node:fs";
import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { LegionError } from "../../base/errors.ts";
import { ifLinux, processExists, startOf } from "../../base/process/running.ts";
import { readJson } from "../../base/text/json.ts";
import type { Disk } from "../../base/files/disk.ts";

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
  /** The next holder's epoch will be higher than `floor`, too: logs that come from elsewhere have numbers of their own. */
  release(floor?: number): Promise<void>;
}

export interface LockOptions {
  readonly role: Holder["role"];
  readonly waitMs: number;
  /** What a person types to end a node that holds it; default `legion stop`. */
  readonly stop?: string;
}

/** A holder that cannot be looked up (another container or system) is alive while it touches its lock this often. */
const STALE_MS = 15_000;
const TOUCH_MS = 5_000;
const RETRY_MS = 50;
const EPOCH = /^[1-9]\d{0,14}$/;

/**
 * Takes the lock of `folder`. Rejects with LOCKED, naming the pid, if a live node holds it; a command that holds it is
 * waited for up to `waitMs`.
 */
export async function takeLock(folder: string, disk: Disk, options: LockOptions): Promise<Lock> {
  const deadline = Date.now() + options.waitMs;
  const identity = identify(options.role);
  for (;;) {
    const newest = await readNewest(folder, disk);
    if (newest.holder && (await isAlive(newest.holder, newest.path))) {
      if (newest.holder.role === "node" || Date.now() >= deadline) throw inUse(newest.holder, options.stop);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      continue;
    }
    const epoch = newest.epoch + 1;
    if (!(await disk.claim(join(folder, String(epoch)), JSON.stringify(identity)))) continue;
    const isNewest = await clearOthers(folder, epoch, disk).catch(async (error: unknown) => {
      // Nobody may be kept out by a lock that nobody holds.
      await disk.remove(join(folder, String(epoch))).catch(() => undefined);
      throw error;
    });
    if (!isNewest) continue;
    return hold(folder, epoch, identity, disk);
  }
}

/** Why nobody else may do it now. @param stop the command that ends the holder */
export function inUse({ pid, host }: Holder, stop = "legion stop"): LegionError {
  const way = `other commands talk to it, and \`${stop}\` ends it.`;
  return new LegionError("LOCKED", `This directory is in use by process ${pid} on ${host}; ${way}`);
}

/**
 * Removes what is left of earlier holders of the lock that was just claimed. False if there is a later one, which
 * counts: two others may have come and gone since the newest was read, and have removed what would have been in our way.
 */
async function clearOthers(folder: string, epoch: number, disk: Disk): Promise<boolean> {
  const epochs = await epochsIn(folder, disk);
  const isNewest = epochs.every((other) => other <= epoch);
  const doomed = isNewest ? epochs.filter((other) => other < epoch) : [epoch];
  for (const other of doomed) await disk.remove(join(folder, String(other)));
  return isNewest;
}

/** Who holds the lock of `folder` at this moment; `undefined` if nobody alive does. Takes nothing, writes nothing. */
export async function lockHolder(folder: string, disk: Disk): Promise<Holder | undefined> {
  const { holder, path } = await readNewest(folder, disk);
  return holder && (await isAlive(holder, path)) ? holder : undefined;
}

/** Who took the lock of `folder` and died without giving it back; `undefined` if it is free or held. */
export async function deadHolder(folder: string, disk: Disk): Promise<Holder | undefined> {
  const { holder, path } = await readNewest(folder, disk);
  return holder && !holder.released && !(await isAlive(holder, path)) ? holder : undefined;
}

function hold(folder: string, epoch: number, identity: Holder, disk: Disk): Lock {
  const path = join(folder, String(epoch));
  const next = join(folder, String(epoch + 1));
  let lost = false;
  const touching = setInterval(() => {
    // Only others ask for it, and whoever takes over for want of it leaves a file of its own.
    disk.touch(path).catch(() => undefined);
  }, TOUCH_MS).unref();
  const held = (): boolean => !lost && disk.exists(path) && !disk.exists(next);
  return {
    epoch,
    held,
    async release(floor = 0) {
      clearInterval(touching);
      const released = JSON.stringify({ ...identity, released: true });
      // What cannot be looked at is not gone: a lock that its own process forgot would keep everybody out.
      const isOurs = !lost && (await epochsIn(folder, disk)).reduce((a, b) => Math.max(a, b), 0) === epoch;
      // The file stays: the next epoch counts on from it.
      if (isOurs && floor > epoch) await disk.claim(join(folder, String(floor)), released);
      else if (isOurs) await disk.replace(path, released);
      lost = true;
    },
  };
}

/** The epoch is 0 when nobody ever held the lock; `holder` is `undefined` if its file does not tell. */
async function readNewest(folder: string, disk: Disk) {
  const epoch = Math.max(0, ...(await epochsIn(folder, disk)));
  const path = join(folder, String(epoch));
  const text = epoch === 0 ? undefined : await disk.read(path);
  return { epoch, path, holder: text && parseHolder(text.toString("utf8")) };
}

async function epochsIn(folder: string, disk: Disk): Promise<readonly number[]> {
  return (await disk.list(folder)).filter((name) => EPOCH.test(name)).map(Number);
}

function parseHolder(text: string): Holder | undefined {
  const holder = readJson(text) as Holder | null | undefined;
  return typeof holder?.pid === "number" ? holder : undefined;
}

async function isAlive(holder: Holder, path: string): Promise<boolean> {
  if (holder.released) return false;
  const self = identify("command");
  if (holder.host === self.host && holder.boot !== self.boot && self.boot !== "") return false;
  if (holder.pidns !== self.pidns || holder.boot !== self.boot) return !(await isStale(path));
  if (!processExists(holder.pid)) return false;
  const start = startOf(holder.pid);
  return start === "" ? !(await isStale(path)) : start === holder.start;
}

async function isStale(path: string): Promise<boolean> {
  const touched = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
  return Date.now() - touched > STALE_MS;
}

function identify(role: Holder["role"]): Holder {
  return {
    pid: process.pid,
    start: startOf(process.pid),
    boot: ifLinux(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    pidns: ifLinux(() => readlinkSync("/proc/self/ns/pid")),
    host: hostname(),
    role,
  };
}
