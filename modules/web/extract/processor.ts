// How long a thread has kept a processor busy. Time on the wall says little where many programs share a machine.

import { readFileSync, readlinkSync } from "node:fs";
import type { Worker } from "node:worker_threads";

/** Linux gives processor times in hundredths of a second, whatever its own clock does (sysconf(3), USER_HZ). */
const MS_PER_TICK = 10;

/** Where Linux tells of the thread that asks (proc(5), /proc/thread-self); empty on other systems. */
export function ownThread(): string {
  try {
    return `/proc/${readlinkSync("/proc/thread-self")}/stat`;
  } catch {
    return "";
  }
}

/**
 * Milliseconds of processor that `worker` takes from now on.
 *
 * @param thread what `ownThread` gave there; where it gave nothing, the time in which the thread was busy counts
 */
export function watchProcessor(worker: Worker, thread: string): () => number {
  if (thread === "") {
    const before = worker.performance.eventLoopUtilization();
    return () => worker.performance.eventLoopUtilization(before).active;
  }
  const before = processorMs(thread);
  return () => processorMs(thread) - before;
}

/** Fields 14 and 15: in programs, and in the system for them. */
function processorMs(thread: string): number {
  const stat = readFileSync(thread, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}
