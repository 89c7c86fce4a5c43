// What had a protected name when the commands that now run began, for the case that the runtime is killed under them: then
// nobody else knows what they made.

import { lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Protected, ProtectedEntry } from "./scan.ts";

export interface GuardRecord {
  /** Throws if it cannot be kept: then nothing may run. */
  write(known: Protected): void;
  /** Undefined if nothing was running, and for one that is not of this very folder. */
  read(): Protected | undefined;
  remove(): void;
}

/** @param path where nothing that a command makes is found */
export function createRecord(path: string, root: string): GuardRecord {
  // A copy of the project is another folder, in which everything is new.
  const folder = (): string => {
    const { dev, ino } = lstatSync(root, { bigint: true });
    return `${dev}:${ino}`;
  };
  return {
    write(known) {
      writeFileSync(path, JSON.stringify({ folder: folder(), known: [...known.values()] }), { mode: 0o600 });
    },
    read() {
      try {
        const said = JSON.parse(readFileSync(path, "utf8")) as {
          readonly folder?: string;
          readonly known: readonly ProtectedEntry[];
        };
        if (said.folder !== folder()) return undefined;
        return new Map(said.known.map((entry) => [entry.names.join("/"), entry]));
      } catch {
        return undefined;
      }
    },
    remove() {
      rmSync(path, { force: true });
    },
  };
}
