// What a thread takes: of a processor, as time on the wall says little where many programs share a machine, and of memory.

import { readFileSync, readlinkSync } from "node:fs";
import { Worker } from "node:worker_threads";

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

const CAN_TELL_HEAP = "getHeapStatistics" in Worker.prototype;

/**
 * The limit of a thread itself, in MB, that may hold `heapBytes` of objects. Past its own limit a thread ends alone before
 * Node 24, and takes the process along in some versions since: there it is watched, and its own limit lies behind. Where it
 * is not, the limit lies before, as it collects what is not needed by itself.
 */
export function ownHeapLimit(heapBytes: number): number {
  return Math.ceil((heapBytes / 1024 ** 2) * (CAN_TELL_HEAP ? 4 / 3 : 2 / 3));
}

/** Bytes of objects in `worker`; 0 where Node cannot tell (before 22.16), or the thread has ended. It may be long in answering. */
export async function heapOf(worker: Worker): Promise<number> {
  if (!CAN_TELL_HEAP) return 0;
  const { getHeapStatistics } = worker as Worker & {
    getHeapStatistics(): Promise<{ readonly used_heap_size: number }>;
  };
  return getHeapStatistics.call(worker).then(
    (heap) => heap.used_heap_size,
    () => 0,
  );
}
