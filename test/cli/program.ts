// The real program, built, as a process of its own.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { build } from "../../scripts/build.mjs";

export const PROGRAM = fileURLToPath(new URL("../../dist/src/cli/index.js", import.meta.url));
/** Each clone has its own: it waits for nobody else's compiler. */
const BUILDING = fileURLToPath(new URL("../../node_modules/.legion-test-building", import.meta.url));
const RETRY_MS = 100;

/** Brings dist/ up to date. Test files run side by side, and two compilers must not write into one folder. */
export async function buildProgram(): Promise<void> {
  while (!claim()) await delay(RETRY_MS);
  try {
    if (!build("whole")) throw new Error("The sources do not compile.");
  } finally {
    rmSync(BUILDING);
  }
}

function claim(): boolean {
  try {
    writeFileSync(BUILDING, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    // One that was killed builds no more, however long others take on a busy machine.
    if (!isRunning(builder())) rmSync(BUILDING, { force: true });
    return false;
  }
}

/** Its process, if it has said so already and is not done. */
function builder(): number | undefined {
  try {
    return Number(readFileSync(BUILDING, "utf8")) || undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number | undefined): boolean {
  if (pid === undefined) return true;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export interface RunOptions {
  /** The current folder. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** All of the standard input; without it, it stays open. */
  readonly stdin?: string;
  /** Of the user it runs as. */
  readonly uid?: number;
}

export interface Run {
  readonly child: ChildProcessWithoutNullStreams;
  /** What is on standard output so far. */
  readonly out: () => string;
  /** Resolves once standard output holds `text`; rejects if it ends without. */
  until(text: string): Promise<void>;
  readonly ended: Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Starts `legion` with these arguments, without any key or setting of whoever runs the tests. */
export function run(args: readonly string[], { cwd, env = {}, stdin, uid }: RunOptions): Run {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: { PATH: process.env["PATH"], XDG_CONFIG_HOME: process.env["XDG_CONFIG_HOME"], ...env },
    ...(uid !== undefined && { uid }),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  if (stdin !== undefined) child.stdin.end(stdin);
  const ended = new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ code, out, err })));
  return {
    child,
    out: () => out,
    ended,
    until: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!out.includes(text)) return;
          child.stdout.off("data", look);
          resolve();
        };
        child.stdout.on("data", look);
        void ended.then(() => reject(new Error(`ended without ${JSON.stringify(text)}:\n${out}\n${err}`)));
        look();
      }),
  };
}

export function runToEnd(args: readonly string[], options: RunOptions): Promise<Ended> {
  return run(args, { stdin: "", ...options }).ended;
}
