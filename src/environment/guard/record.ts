// What had a protected name when the commands that now run began, for the case that the runtime is killed under them: then
// nobody else knows what they made. Of one workspace there may be several: other processes run commands there, too.

import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { processExists, startOf } from "../../base/process/running.ts";
import type { Protected, ProtectedEntry } from "./scan.ts";

export interface GuardRecord {
  /** Throws if it cannot be kept: then nothing may run. */
  write(known: Protected): void;
  /** Those of others in this very folder; may be empty. */
  others(): readonly OtherRecord[];
  remove(): void;
}

export interface OtherRecord {
  readonly known: Protected;
  /** Whoever wrote it was killed. Else it is not ours to act on. */
  readonly isLeft: boolean;
  remove(): void;
}

interface WrittenRecord {
  readonly folder: string;
  readonly pid: number;
  /** As `startOf` gives it. */
  readonly start: string;
  readonly known: readonly ProtectedEntry[];
}

let records = 0;

/** @param place where nothing that a command makes is found: how the paths of the records of this workspace begin */
export function createRecord(place: string, root: string): GuardRecord {
  const own = `${place}-${process.pid}-${++records}.json`;
  const remove = (path: string): void => rmSync(path, { force: true });
  // A copy of the project is another folder, in which everything is new.
  const folder = (): string => {
    const { dev, ino } = lstatSync(root, { bigint: true });
    return `${dev}:${ino}`;
  };
  return {
    write(known) {
      const written: WrittenRecord = {
        ...{ folder: folder(), pid: process.pid, start: startOf(process.pid) },
        known: [...known.values()],
      };
      writeFileSync(own, JSON.stringify(written), { mode: 0o600 });
    },
    others() {
      const paths = pathsAt(place).filter((path) => path !== own);
      return paths.flatMap((path) => {
        const { pid, start, ...said } = read(path) ?? {};
        if (said.folder !== folder() || !said.known) return [];
        const known = new Map(said.known.map((entry) => [entry.names.join("/"), entry]));
        return [{ known, isLeft: !isRunning(pid, start), remove: () => remove(path) }];
      });
    },
    remove: () => remove(own),
  };
}

function pathsAt(place: string): readonly string[] {
  const isOne = (name: string): boolean => name.startsWith(`${basename(place)}-`) && name.endsWith(".json");
  return readdirSync(dirname(place))
    .filter(isOne)
    .map((name) => join(dirname(place), name));
}

function read(path: string): Partial<WrittenRecord> | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as WrittenRecord;
  } catch {
    return undefined;
  }
}

/** Where nobody can say when a process started, its number counts. */
function isRunning(pid: number | undefined, start: string | undefined): boolean {
  return pid !== undefined && processExists(pid) && [startOf(pid), ""].includes(start ?? "");
}
