// One program with pipes while it runs, wherever that is, and its end.

import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { LegionError } from "../base/errors.ts";
import type { ProgramOrder, StartedProgram } from "../domain/authoring/program.ts";
import type { createLivingCommands, RunningCommand } from "./running-command.ts";

/** How long it may take to end when its input is closed, and then when it is told to. */
const PATIENCE_MS = 500;

export interface RunningProgram extends Pick<RunningCommand, "terminate" | "kill"> {
  readonly child: ChildProcess;
  /** Ends it at once, without waiting. */
  endNow(): void;
  /** Says why it is none of the program's doing that it ended. */
  explain?(): string | undefined;
  readonly missed?: StartedProgram["missed"];
  readonly refused?: StartedProgram["refused"];
  /** Called once, when nothing of it runs any more. */
  settle?(): Promise<void>;
}

/** To be called before anything is waited for: it may be gone by then. */
export function attendProgram(
  { child, terminate, kill, endNow, explain, missed = none, refused = none, settle }: RunningProgram,
  living: ReturnType<typeof createLivingCommands>,
): StartedProgram {
  const [stdin, stdout, stderr] = [child.stdin!, child.stdout!, child.stderr!];
  for (const stream of [stdin, stdout, stderr]) stream.on("error", () => undefined);
  const gone = new Promise<string>((resolve) => {
    child.once("close", (code, signal) =>
      resolve(explain?.() ?? (signal ? `It was ended by ${signal}.` : `It exited with code ${code}.`)),
    );
  });
  let killed: Promise<unknown> | undefined;
  const endAll = (): Promise<unknown> => (killed ??= kill());
  // What it started may hold its pipes open, and may have got away.
  child.once("exit", () => void endAll().then(() => closeSoon([stdin, stdout, stderr], gone)));
  const over = living.during(endNow, async () => {
    try {
      await gone;
      await endAll();
    } finally {
      await settle?.();
    }
  });
  over.catch(() => undefined);
  return {
    ...{ stdin, stdout, stderr, gone, missed, refused },
    async end() {
      stdin.end();
      if (!(await isDone(gone))) await terminate();
      if (!(await isDone(gone))) await endAll();
      await over;
    },
  };
}

/** What came before the end is read by then. */
async function closeSoon(streams: readonly (Readable | Writable)[], gone: Promise<string>): Promise<void> {
  if (!(await isDone(gone))) for (const stream of streams) stream.destroy();
}

const none = (): readonly string[] => [];

async function isDone(gone: Promise<string>): Promise<boolean> {
  const late = new AbortController();
  const isLate = delay(PATIENCE_MS, false, { signal: late.signal }).catch(() => false);
  const done = await Promise.race([gone.then(() => true), isLate]);
  late.abort();
  return done;
}

/** @param code as Node has it */
export function notStarted(
  { command, cwd }: Pick<ProgramOrder, "command" | "cwd">,
  code: string,
): LegionError {
  const why = {
    ENOENT: `There is no program ${JSON.stringify(command)}, or no folder ${JSON.stringify(cwd)}.`,
    EACCES: `${JSON.stringify(command)} may not be run.`,
  }[code];
  return new LegionError("REFUSED", why ?? `It could not be started (${code}).`);
}

/** Throws REFUSED. Where arguments are told one after the other, what comes after a NUL would be another one. */
export function refuseNul(texts: readonly string[]): void {
  if (texts.some((text) => text.includes("\0")))
    throw new LegionError("REFUSED", "a variable of it holds a NUL character, which no program can be given");
}
