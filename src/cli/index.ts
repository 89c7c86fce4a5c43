#!/usr/bin/env node
// The program, and the only place that ends the process.

import { COMMANDS } from "./commands.ts";
import type { Io } from "./kit/command.ts";
import { dispatch } from "./kit/dispatch.ts";
import { takeEnvironment } from "./kit/keys.ts";

const io: Io = {
  // Before anything else runs here: no module of a project, and no command of an agent, finds a key in this process.
  env: takeEnvironment(process.env),
  get cwd() {
    return process.cwd();
  },
  // A getter: asking for the stream opens it, and most commands have no use for it.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  commands: COMMANDS,
  signal: new AbortController().signal,
};

io.stdout.on("error", leave);
io.stderr.on("error", () => undefined);
process.on("uncaughtException", (error) => void judge(error));
await end(await dispatch(process.argv.slice(2), io).catch(fail));

/**
 * Where the reader of our output is gone nobody is left to tell; on a full disk what was asked for is lost. A command that has
 * to end in order listens itself.
 */
function leave({ code = "", message }: NodeJS.ErrnoException): void {
  if (io.stdout.listenerCount("error") > 1) return;
  if (!["ENOSPC", "EDQUOT", "EFBIG"].includes(code)) process.exit(0);
  io.stderr.write(`legion: standard output could not be written: ${message}\n`);
  process.exit(1);
}

/** An error that nobody waited for belongs to the agent that it comes from; without one it ends the program. */
async function judge(error: unknown): Promise<void> {
  const { strayOwner } = await import("../base/async-owner.ts");
  const take = strayOwner();
  if (take) take(error);
  else await end(await fail(error));
}

/** Says what went wrong and gives the exit code for it. */
async function fail(error: unknown): Promise<number> {
  const { explainFailure } = await import("./kit/failure.ts");
  const { text, exitCode } = explainFailure(error, io.env);
  const { fitRows } = await import("./kit/terminal.ts");
  io.stderr.write(fitRows(text, io.stderr.isTTY ? io.stderr.columns : Infinity));
  return exitCode;
}

/** Ends the process once everything written is out, whatever a module left running. */
async function end(exitCode: number): Promise<void> {
  for (const stream of [io.stdout, io.stderr]) {
    await new Promise<void>((resolve) => void stream.write("", () => resolve()));
  }
  process.exit(exitCode);
}
