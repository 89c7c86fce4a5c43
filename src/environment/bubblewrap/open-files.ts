// What the runtime was started with, and everything that it starts would have, too: Node closes for its children what it
// opens itself, and of what it was given only the first numbers.

import type { StdioOptions } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";

const CLOSED_ON_EXEC = 0o2000000;

/** The numbers of such files above `own`, of which a sandbox needs none. */
export function inheritedFiles(own: number): readonly number[] {
  const isInherited = (file: number): boolean => {
    const [, flags] = /^flags:\s*([0-7]+)/m.exec(readOrNothing(`/proc/self/fdinfo/${file}`)) ?? [];
    return flags !== undefined && (parseInt(flags, 8) & CLOSED_ON_EXEC) === 0;
  };
  const numbers = readdirSync("/proc/self/fd").map(Number);
  return numbers.filter((file) => file > own && isInherited(file));
}

/** Starts something, by `start`, that has nothing in the place of these files: bwrap reads it as arguments, and closes it. */
export function withoutFiles<T>(
  inherited: readonly number[],
  stdio: readonly ("ignore" | "pipe")[],
  start: (stdio: StdioOptions, args: readonly string[]) => T,
): T {
  if (inherited.length === 0) return start([...stdio], []);
  const nothing = openSync("/dev/null", "r");
  try {
    const length = Math.max(...inherited) + 1;
    const all = Array.from({ length }, (_, file) => (inherited.includes(file) ? nothing : stdio[file]));
    return start(
      all.map((one) => one ?? "ignore"),
      inherited.flatMap((file) => ["--args", String(file)]),
    );
  } finally {
    closeSync(nothing);
  }
}

/** It may have been closed meanwhile. */
function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
