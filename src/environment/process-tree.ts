import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readlink } from "node:fs/promises";
import { setImmediate as pause, setTimeout as delay } from "node:timers/promises";
import { codeOf } from "../base/errors.ts";
import { bornSoFar, newestNumber, startOf } from "../base/process/running.ts";

/** How often to look again for processes that were born, or not yet gone, while the others were ended. */
const MAX_ROUNDS = 50;
const ROUND_PAUSE_MS = 10;
/** How often to read an environment that seems empty; a program that starts again and again shows it one time in four. */
const MAX_READS = 16;
const READ_PAUSE_MS = 1;
/** Where a process says when it was started, counted from its state. */
const START = 19;
/** So many processes are looked at before others have a turn. */
const TURN = 100;
/** By far fewer than Linux has numbers for processes: 32,768 at least. */
const ONE_ROUND = 10_000;

/** The first process of a tree; it leads a group. */
export interface TreeRoot {
  readonly pid: number;
  /** As `startOf` says it; NaN: nobody knows. */
  readonly start: number;
  /** As `bornSoFar` said it when it had just been started. */
  readonly born: number;
}

/** @param pid of a process that was started this moment */
export function rootOf(pid: number): TreeRoot {
  return { pid, start: Number(startOf(pid) || NaN), born: bornSoFar() };
}

/**
 * Ends the process group that `root` leads, where it is known, and every process whose environment holds `mark`, also those that
 * left the group, with the groups that they lead; says whether there were any. Where there is no /proc only the group is
 * ended. A process that drops its environment escapes if it leaves the group, or if nobody with the mark leads that.
 *
 * @param mark long and random: nobody else's environment may hold it by chance
 * @param root what is older is none of them; absent: any process may be one
 */
export async function endTree(mark: string, root?: TreeRoot): Promise<boolean> {
  const groups = new Set(root && [root.pid]);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    for (const known of groups) signalGroup(known, "SIGKILL");
    const alive = await findAlive(groups, { mark, root });
    if (alive.length === 0) return round > 0;
    for (const { pid, leads } of alive) {
      signalProcess(leads ? -pid : pid, "SIGKILL");
      // What it led may have dropped the mark, as a browser's processes do, and outlive it.
      if (leads) groups.add(pid);
    }
    await delay(ROUND_PAUSE_MS);
  }
  return true;
}

export function signalGroup(group: number, signal: NodeJS.Signals): void {
  signalProcess(-group, signal);
}

export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // EPERM: macOS says so of a group that holds only zombies.
    if (!["ESRCH", "EPERM"].includes(codeOf(error))) throw error;
  }
}

interface Marked {
  readonly mark: string;
  readonly root: TreeRoot | undefined;
}

interface Alive {
  readonly pid: number;
  /** It is the leader of its process group. */
  readonly leads: boolean;
}

/** Everything of the command that still runs: a signal that was sent has not ended a process yet. */
async function findAlive(groups: ReadonlySet<number>, marked: Marked): Promise<readonly Alive[]> {
  const pids = marked.root ? laterThan(marked.root) : processes();
  const alive: Promise<Alive | undefined>[] = [];
  for (const [index, pid] of pids.entries()) {
    if (index % TURN === TURN - 1) await pause();
    alive.push(lookAt(pid, groups, marked));
  }
  return (await Promise.all(alive)).filter((found) => found !== undefined);
}

/** The numbers of all processes; none where there is no /proc. */
function processes(): readonly number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/**
 * The numbers of all that may be later processes: numbers are given in turn, and begin anew after the last. To look at those alone
 * keeps it cheap where hundreds of others run.
 */
function laterThan({ pid: first, born }: TreeRoot): readonly number[] {
  const newest = newestNumber();
  const isOneRound = bornSoFar() - born < ONE_ROUND && newest >= first;
  if (!isOneRound) return processes();
  const given = newest - first + 1;
  if (given > TURN) return processes().filter((pid) => pid >= first);
  return Array.from({ length: given }, (_, index) => first + index).filter((pid) =>
    existsSync(`/proc/${pid}`),
  );
}

/** Undefined for processes of others and for those that are gone or only wait to be collected. */
async function lookAt(
  pid: number,
  groups: ReadonlySet<number>,
  { mark, root }: Marked,
): Promise<Alive | undefined> {
  const stat = peek(`/proc/${pid}/stat`)?.toString("latin1") ?? "";
  // The name before the last bracket may hold anything; then come state, parent and group, and far behind the start (proc(5)).
  const said = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", , group] = said;
  if (state === "" || "ZX".includes(state)) return undefined;
  // A signal to the group of the first process would be one to all.
  const found = { pid, leads: Number(group) === pid && pid > 1 };
  if (groups.has(Number(group))) return found;
  if (root && Number(said[START]) < root.start) return undefined;
  // Wherever it stands: programs that write over their environment may leave a part of it.
  return (await readEnvironment(pid)).includes(mark) ? found : undefined;
}

/** Empty if it has none or may not be read. A process that is just becoming another program seems to have none (execve(2)). */
async function readEnvironment(pid: number): Promise<Buffer> {
  for (let reads = 1; ; reads++) {
    const environment = peek(`/proc/${pid}/environ`);
    if (environment?.length !== 0 || reads === MAX_READS) return environment ?? Buffer.alloc(0);
    // What belongs to the kernel has no program.
    const program = await readlink(`/proc/${pid}/exe`).catch(() => undefined);
    if (program === undefined) return environment;
    await delay(READ_PAUSE_MS);
  }
}

/** At once: it is in memory, and to ask for each of hundreds in turn takes four times as long. `undefined`: it may not be read. */
function peek(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
