// Plays the scenario on a machine that stops, once or more often, and audits what is left each time.

import { dirname } from "node:path";
import { isLegionError } from "../../src/base/errors.ts";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { auditCrash, auditEnd } from "./audit.ts";
import { createFaultyDisk, type Blow, type DiskCall, type Errno, type FaultyDisk } from "./faulty-disk.ts";
import { afterKill, afterPowerCut, type Files, type Random, type Tearing } from "./files.ts";
import { PROJECT, createOutside, play, type Machine, type ScenarioOptions } from "./scenario.ts";

export interface Stop {
  /** At which call of the interface, from 1, counted from the start before. */
  readonly at: number;
  /** The share of that call that is done all the same, 0 to 1. */
  readonly done: number;
  readonly by: "kill" | "power cut";
  /** A call that fails before; a legion that does not get over it is stopped then. */
  readonly failure?: { readonly at: number; readonly errno: Errno; readonly done: number };
}

export interface Crashes extends ScenarioOptions {
  readonly stops: readonly Stop[];
  readonly random: Random;
  readonly tearing?: Tearing;
  /** What happens to the other calls; nothing if absent. */
  readonly blow?: (call: DiskCall) => Blow | undefined;
  /** How long the calls of the disk take; always the same time if absent. */
  readonly pace?: Random;
}

export interface Ending {
  /** What is wrong, empty if nothing is. */
  readonly problems: readonly string[];
  /** How many of the stops came to pass before everybody had finished. */
  readonly stopped: number;
}

export async function playThrough(crashes: Crashes): Promise<Ending> {
  const { stops, random, tearing = "cut", pace } = crashes;
  const outside = createOutside();
  const problems: string[] = [];
  let files: Files = new Map();
  let stopped = 0;
  for (const stop of [...stops, undefined]) {
    const blow = (call: DiskCall): Blow | undefined => (stop && blowOf(stop, call)) ?? crashes.blow?.(call);
    const disk = createFaultyDisk({ files, blow, random: pace });
    await playOnce({ disk, outside }, crashes);
    // Whoever was halted by a failure has not finished.
    if (!disk.crashed && stop?.failure) {
      releaseLock(files);
      continue;
    }
    if (!disk.crashed) {
      problems.push(...(await auditEnd(createFaultyDisk({ files }), outside, tearing)));
      return { problems, stopped };
    }
    stopped++;
    files = stop?.by !== "power cut" ? afterKill(files) : afterPowerCut(files, random, tearing);
    releaseLock(files);
    problems.push(...(await auditCrash(createFaultyDisk({ files }), outside)));
  }
  return { problems: [...problems, "The disk was turned off though nothing had failed."], stopped };
}

function blowOf({ at, done, failure }: Stop, { n }: DiskCall): Blow | undefined {
  if (n === at) return { kind: "crash", done };
  return n === failure?.at ? { kind: "error", errno: failure.errno, done: failure.done } : undefined;
}

const HANGS_MS = 10_000;

/** Resolves when everybody has finished or the machine has stopped. */
async function playOnce({ disk, outside }: Crashing, options: ScenarioOptions): Promise<void> {
  const playing = play({ disk, outside }, options).catch((error: unknown) => {
    if (!isLegionError(error, "STORAGE")) throw error;
    disk.turnOff();
  });
  // What a stopped machine still says is nobody's.
  playing.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const hanging = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The legion hangs.")), HANGS_MS);
  });
  await Promise.race([playing, disk.stopped, hanging]).finally(() => clearTimeout(timer));
}

interface Crashing extends Machine {
  readonly disk: FaultyDisk;
}

/** The process that held the lock is gone. This one goes on, under the same pid: only the start time tells. */
export function releaseLock(files: Files, lock = legionPaths(PROJECT).lock): void {
  for (const [path, file] of files) {
    if (dirname(path) !== lock || !file.bytes) continue;
    const holder: object = JSON.parse(file.bytes.toString()) as object;
    const bytes = Buffer.from(JSON.stringify({ ...holder, start: "that of another process" }));
    files.set(path, { ...file, bytes, synced: bytes.length });
  }
}
