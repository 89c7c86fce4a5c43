// Who may use the index in a folder. It lies in a folder of its own whose name says who has it, and is taken and given back by
// renaming that: only one can. Whoever was killed had it under the name of a process that is no more, so that the next one may
// take it from there; where a living one has it, another index can be made beside it, and the first that is given back stays.

import { createHash, randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, renameSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { codeOf } from "../../../base/errors.ts";
import { ifLinux, processExists, startOf } from "../../../base/process/running.ts";

/** Everything throws what the file system says. */
export interface HeldIndex {
  /** The file that the index is in, or will be. */
  readonly file: string;
  /** Removes what is there. */
  empty(): void;
  /** Gives it back. */
  release(): void;
  /** Removes it: it is worth nothing. */
  discard(): void;
}

const FREE = "free";
const HELD = /^held-(\d{1,10})\.(\d*)\.([0-9a-f]+)\.[0-9a-f]+$/;
/** No search takes that long: so old, one belongs to nobody, though nobody here can tell who had it. */
const ABANDONED_MS = 3_600_000;

const machine = createHash("sha256")
  .update(
    [
      hostname(),
      ifLinux(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")),
      ifLinux(() => readlinkSync("/proc/self/ns/pid")),
    ].join("\n"),
  )
  .digest("hex")
  .slice(0, 12);
const mine = `held-${process.pid}.${startOf(process.pid)}.${machine}.${randomUUID().slice(0, 8)}`;

/** The index that is there, or a place for the first one; `undefined` while another living process has it. */
export function takeKept(folder: string): HeldIndex | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = readdirSync(folder);
  const dead = names.filter((name) => name !== mine && HELD.test(name) && isDead(folder, name));
  const taken = [FREE, ...dead].find((name) => names.includes(name) && moved(folder, name));
  for (const name of dead.filter((name) => name !== taken)) remove(folder, name);
  if (taken === undefined && names.some((name) => HELD.test(name) && !dead.includes(name) && name !== mine))
    return undefined;
  return hold(folder);
}

/** A place for another one. */
export function takeNew(folder: string): HeldIndex {
  remove(folder, mine);
  return hold(folder);
}

/** The same, and whatever else is in the folder is gone: others will find that theirs is. */
export function takeErased(folder: string): HeldIndex {
  rmSync(folder, { recursive: true, force: true });
  return hold(folder);
}

function hold(folder: string): HeldIndex {
  const path = join(folder, mine);
  // What comes with a project may be anything.
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) remove(folder, mine);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return {
    file: join(path, "index.db"),
    empty() {
      remove(folder, mine);
      mkdirSync(path, { recursive: true, mode: 0o700 });
    },
    release() {
      try {
        renameSync(path, join(folder, FREE));
      } catch {
        // Somebody has given back another one, or has erased this one.
        remove(folder, mine);
      }
    },
    discard: () => remove(folder, mine),
  };
}

/** False if somebody else was first. */
function moved(folder: string, name: string): boolean {
  remove(folder, mine);
  try {
    renameSync(join(folder, name), join(folder, mine));
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

function isDead(folder: string, name: string): boolean {
  const [, pid = "", start, where] = HELD.exec(name) ?? [];
  if (where === machine && (!processExists(Number(pid)) || startOf(Number(pid)) !== start)) return true;
  const changedMs = lstatSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
  return Date.now() - changedMs > ABANDONED_MS;
}

function remove(folder: string, name: string): void {
  rmSync(join(folder, name), { recursive: true, force: true });
}
