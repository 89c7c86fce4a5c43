// Which process a number means: a number is given again once its process has ended.

import { readFileSync } from "node:fs";
import { codeOf } from "../errors.ts";

export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/**
 * Field 22 of /proc/<pid>/stat: clock ticks from boot to the start of the process; `ended` for one that only waits for
 * its parent to ask how it ended (field 3); empty where nobody may look (proc(5)).
 */
export function startOf(pid: number): string {
  return ifLinux(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? "ended" : (fields[19] ?? "");
  });
}

/** How many processes and threads there were since the machine started; NaN where nobody may look. */
export function bornSoFar(): number {
  return Number(
    ifLinux(() => /^processes (\d+)$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1] ?? "") || NaN,
  );
}

/** Of the newest process or thread; NaN where nobody may look. */
export function newestNumber(): number {
  return Number(ifLinux(() => readFileSync("/proc/loadavg", "utf8").trim().split(" ").at(-1) ?? "") || NaN);
}

/** What `read` finds in /proc; empty on systems that have none. */
export function ifLinux(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
