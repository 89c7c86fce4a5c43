// Plays the scenario on a disk that gives errors, for a moment or until it is mended, and audits what comes of it.

import { setImmediate as turn } from "node:timers/promises";
import { isLegionError, messageOf } from "../../src/base/errors.ts";
import type { Legion } from "../../src/legion/legion.ts";
import { auditEnd } from "./audit.ts";
import { createFaultyDisk, type Blow, type DiskCall, type Errno } from "./faulty-disk.ts";
import type { Files } from "./files.ts";
import { releaseLock } from "./crashes.ts";
import { createOutside, play, sayAll, start, type Machine, type Outside } from "./scenario.ts";

export interface Failure {
  /** The first call that fails, from 1. */
  readonly at: number;
  readonly errno: Errno;
  /** The share of a failing call that is done all the same, 0 to 1. */
  readonly done: number;
  /** `once`: only that call. `folder`: from then on each one in the same agent's folder. `all`: each one that writes. */
  readonly fails: "once" | "folder" | "all";
}

export interface Outcome {
  /** What is wrong, empty if nothing is. */
  readonly problems: readonly string[];
  /** Did the call come to pass? */
  readonly failed: boolean;
}

/** Enough turns for everybody to do what can be done, */
const TURNS = 3_000;
/** and as long as threads may take for it on a busy machine. */
const PATIENCE_MS = 20_000;

export async function playWithFailure(failure: Failure): Promise<Outcome> {
  const files: Files = new Map();
  const outside = createOutside();
  const faults = createFaults(failure);
  const machine: Machine = { disk: createFaultyDisk({ files, blow: faults.blow }), outside };
  const problems: string[] = [];
  try {
    const legion = await startAtLast(machine, files, faults);
    await letWork(legion, outside, () => faults.victim !== undefined && goOn(outside, faults.victim));
    if (faults.victim !== undefined) problems.push(...standstills(legion, outside, faults.victim));
    faults.mend();
    const isAllDone = (): boolean => outside.orders.length === 0 && isDone(legion, outside);
    await letWork(legion, outside, isAllDone, PATIENCE_MS);
    problems.push(...unfinished(legion, outside));
    await legion.stop().catch(onlyStorage);
  } catch (error) {
    problems.push(messageOf(error));
  }
  faults.mend();
  releaseLock(files);
  // Whatever it left, the next start gets everything done.
  await play({ disk: createFaultyDisk({ files }), outside }).catch((error: unknown) =>
    problems.push(messageOf(error)),
  );
  problems.push(...faults.retried(), ...(await auditEnd(createFaultyDisk({ files }), outside, "cut")));
  return { problems, failed: faults.failed };
}

/** What may be done in part and fail. */
const PARTIAL: readonly DiskCall["op"][] = ["append", "replace", "remove"];

interface Faults {
  readonly blow: (call: DiskCall) => Blow | undefined;
  /** The agent whose folder has failed since. */
  readonly victim: string | undefined;
  readonly failed: boolean;
  mend(): void;
  /** Files that were flushed or written to after a flush of them had failed. */
  retried(): readonly string[];
}

const WRITES: readonly DiskCall["op"][] = ["create", "append", "flush", "sync", "replace", "claim", "remove"];

function createFaults({ at, errno, done, fails }: Failure): Faults {
  let first: DiskCall | undefined;
  let mended = false;
  const dead = new Set<string>();
  const retried: string[] = [];
  const strikes = (call: DiskCall): boolean => {
    if (call.n === at) first = call;
    if (!first || mended) return false;
    if (call === first) return true;
    if (fails === "folder") return agentOf(first) !== undefined && agentOf(call) === agentOf(first);
    return fails === "all" && WRITES.includes(call.op);
  };
  return {
    blow(call) {
      const { op, path } = call;
      if (op === "create") dead.delete(path);
      if ((op === "flush" || op === "append") && dead.has(path))
        retried.push(`${path} was used again after a failed flush`);
      if (!strikes(call)) return undefined;
      if (op === "flush") dead.add(path);
      return { kind: "error", errno, done: PARTIAL.includes(op) ? done : 0 };
    },
    get victim() {
      return fails === "folder" && first ? agentOf(first) : undefined;
    },
    get failed() {
      return first !== undefined;
    },
    mend() {
      mended = true;
    },
    retried: () => retried,
  };
}

function agentOf({ path }: DiskCall): string | undefined {
  return /\/agents\/(\w+)\//.exec(path)?.[1];
}

/** When a start fails, its process ends, and a person tries again once the disk is mended. */
async function startAtLast(machine: Machine, files: Files, faults: Faults): Promise<Legion> {
  try {
    return await start(machine);
  } catch (error) {
    onlyStorage(error);
    faults.mend();
    releaseLock(files);
    return start(machine);
  }
}

function onlyStorage(error: unknown): void {
  if (!isLegionError(error, "STORAGE")) throw error;
}

/** Lets everybody work until `isEnough`, or until there has been time for everything. */
async function letWork(
  legion: Legion,
  outside: Outside,
  isEnough: () => boolean,
  leastMs = 0,
): Promise<void> {
  const begun = performance.now();
  const isTime = (turns: number): boolean => turns < TURNS || performance.now() - begun < leastMs;
  for (let turns = 0; isTime(turns) && !isEnough(); turns++) {
    if (turns % 100 === 0) await sayAll(legion, outside).catch(onlyStorage);
    await turn();
  }
}

/** Has whoever is not the victim done what needs no answer of it? */
function goOn({ strikes, acknowledged }: Outside, victim: string): boolean {
  const hasSent = acknowledged
    .get("1")
    ?.some((event) => event.kind === "result" && event.state?.[0]?.[1] === "short");
  return victim === "2" ? hasSent === true : strikes.includes("2 began");
}

/** What the failure of one agent's folder, and of none else's, has done to the others. */
function standstills({ agents }: Legion, outside: Outside, victim: string): readonly string[] {
  const halted = [...agents].filter(([id, { standing }]) => id !== victim && standing.state === "halted");
  return [
    ...(victim === "0" || goOn(outside, victim) ? [] : [`Others did not go on without agent ${victim}.`]),
    ...halted.map(([id, { standing }]) => `Agent ${id} was halted for ${victim}: ${standing.reason}`),
  ];
}

function isDone({ agents, control }: Legion, { acknowledged }: Outside): boolean {
  const heard = acknowledged
    .get("0")
    ?.some((event) => event.kind === "message" && event.message.content === "all done");
  return (
    heard === true &&
    control.undelivered().length === 0 &&
    [...agents.values()].every(({ standing }) => standing.state === "idle")
  );
}

function unfinished(legion: Legion, outside: Outside): readonly string[] {
  if (isDone(legion, outside)) return [];
  const standings = [...legion.agents].map(
    ([id, { standing }]) => `${id} ${standing.state} ${standing.reason}`,
  );
  return [`Not done without another start: ${standings.join(", ")}; ${outside.orders.length} orders left.`];
}
