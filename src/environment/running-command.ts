// One command while it runs, wherever that is: its output, its time, its end.

import { once } from "node:events";
import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { SHUTDOWN } from "../base/process/signals.ts";
import type { CommandRun } from "../domain/authoring/workspace.ts";
import type { ExecuteOptions } from "./environment.ts";

const GRACE_MS = 2_000;
/** How long to wait for the end of the output once everything that could write to it was ended. */
const DRAIN_MS = 500;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
/** What is only traced is taken in such portions, with a pause after each; its end is kept. */
const PORTION_BYTES = 256 * 1024;
const PORTION_PAUSE_MS = 50;
const END_BYTES = 8 * 1024;
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A script that has its first argument run by `interpreter`, or by sh where that is not there. One pipe for both streams: what
 * was printed first is read first.
 */
export function shellScript(interpreter: readonly string[] = ["bash", "-c"]): string {
  const run = `exec ${interpreter.join(" ")} "$1"`;
  return `exec 2>&1; if command -v ${interpreter[0]} >/dev/null; then ${run}; else exec sh -c "$1"; fi`;
}

const PASSED_ON = ["PATH", "LANG", "TERM", "HOME", "TMPDIR"];

export type EndReason = NonNullable<CommandRun["ended"]>;

export interface RunningCommand {
  readonly child: ChildProcess;
  /** What the child prints. */
  readonly stdout: Readable;
  /** Asks it to end. */
  terminate(): void | Promise<void>;
  /** Ends everything that it started. */
  kill(): Promise<unknown>;
  /** Watches it from outside until the answer is called, and says why it has to be ended. */
  watch?(end: (why: EndReason) => void): () => void;
}

/** What every program needs, of what the runtime has. */
export function passedOn(variables: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  return pick(variables, PASSED_ON);
}

export function pick(
  variables: NodeJS.ProcessEnv,
  names: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = variables[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** Settles when the command and all that it started have ended. */
export async function attend(running: RunningCommand, options: ExecuteOptions): Promise<CommandRun> {
  const { child, stdout } = running;
  const exited = once(child, "exit").then(() => undefined);
  const closed = Promise.all([exited, new Promise((resolve) => stdout.once("close", resolve))]);
  const stop = createStop(options);
  const output =
    options.output === "traced" ? keepPace(stdout) : collect(stdout, () => stop.ask("too much output"));
  if (options.trace) stdout.on("data", options.trace.print);
  const unwatch = running.watch?.(stop.ask);

  const ended = await Promise.race([exited, stop.asked]);
  stop.dispose();
  unwatch?.();
  // A process that has lost an agent has no time left: another one is about to say what came of the command.
  const isUrgent = ended === "aborted" && options.signal.reason === SHUTDOWN;
  if ((ended === "timeout" || ended === "aborted") && !isUrgent) {
    await running.terminate();
    await Promise.race([closed, delay(GRACE_MS, undefined, { ref: false })]);
  }
  await running.kill();
  await Promise.race([closed, delay(DRAIN_MS, undefined, { ref: false })]);
  stdout.destroy();

  const why = ended ?? (output.isFull() ? "too much output" : undefined);
  if (why) return { output: output.text(), exitCode: null, ended: why };
  // As a shell would say it: 128 + number for one that a signal ended.
  return { output: output.text(), exitCode: child.exitCode ?? 128 + constants.signals[child.signalCode!] };
}

/** Why the command has to be ended before its time, once there is a reason; only the first one counts. */
function createStop({ timeoutMs, signal }: ExecuteOptions) {
  let ask!: (why: EndReason) => void;
  const asked = new Promise<EndReason>((resolve) => (ask = resolve));
  const abort = () => ask("aborted");
  const timer =
    timeoutMs === Infinity ? undefined : setTimeout(() => ask("timeout"), Math.min(timeoutMs, MAX_TIMER_MS));
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return {
    asked,
    ask,
    dispose() {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    },
  };
}

/** Keeps the first MAX_OUTPUT_BYTES; what follows is read, so that nobody blocks on a full pipe, and dropped. */
function collect(stream: Readable, onFull: () => void) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    if (bytes < MAX_OUTPUT_BYTES) chunks.push(chunk.subarray(0, MAX_OUTPUT_BYTES - bytes));
    bytes += chunk.length;
    if (bytes > MAX_OUTPUT_BYTES) onFull();
  });
  return {
    isFull: () => bytes > MAX_OUTPUT_BYTES,
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}

/** Keeps the last END_BYTES; whoever prints faster than it is read waits. */
function keepPace(stream: Readable) {
  let end: Buffer = Buffer.alloc(0);
  let portion = 0;
  stream.on("data", (chunk: Buffer) => {
    end = Buffer.concat([end, chunk.subarray(-END_BYTES)]).subarray(-END_BYTES);
    portion += chunk.length;
    if (portion < PORTION_BYTES) return;
    portion = 0;
    stream.pause();
    setTimeout(() => stream.resume(), PORTION_PAUSE_MS).unref();
  });
  return { isFull: () => false, text: () => end.toString("utf8") };
}

/** Of all environments together: Node warns a person of the eleventh who listens for its exit. */
const ends = new Set<() => void>();
const endAll = (): void => ends.forEach((end) => end());

/** The commands that run, so that none outlives an orderly exit of the runtime (E5). */
export function createLivingCommands() {
  return {
    /** @param end ends it at once, without waiting */
    async during<T>(end: () => void, run: () => Promise<T>): Promise<T> {
      if (ends.size === 0) process.once("exit", endAll);
      ends.add(end);
      try {
        return await run();
      } finally {
        ends.delete(end);
        if (ends.size === 0) process.off("exit", endAll);
      }
    },
  };
}
