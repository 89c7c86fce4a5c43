import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/** How often to look again for processes that were born, or not yet gone, while the others were ended. */
const MAX_ROUNDS = 50;
const ROUND_PAUSE_MS = 10;

/**
 * Ends the process group `group` and every process whose environment holds `mark`, also those that left the group.
 * Where there is no /proc only the group is ended. A process that leaves the group and drops its environment escapes.
 */
export async function endTree(group: number, mark: string): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    signalGroup(group, "SIGKILL");
    const strays = await findMarked(mark);
    if (strays.length === 0) return;
    for (const pid of strays) signalProcess(pid, "SIGKILL");
    await delay(ROUND_PAUSE_MS);
  }
}

export function signalGroup(group: number, signal: NodeJS.Signals): void {
  signalProcess(-group, signal);
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // EPERM: macOS says so of a group that holds only zombies.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

async function findMarked(mark: string): Promise<readonly number[]> {
  const names = await readdir("/proc").catch(() => []);
  const pids = names.map(Number).filter(Number.isInteger);
  const marked = await Promise.all(pids.map((pid) => isMarked(pid, mark)));
  return pids.filter((_, index) => marked[index]);
}

/** False for processes of others and for those that are gone or only wait to be collected. */
async function isMarked(pid: number, mark: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`).catch(() => undefined);
  return environment?.includes(mark) ?? false;
}
