// Runs one command that takes all it can get, as root or as an ordinary user, and says what it took.

import { execFile } from "node:child_process";
import { chownSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { promisify } from "node:util";
import type { CommandRun } from "../../../src/domain/authoring/workspace.ts";

export const isRoot = process.getuid?.() === 0;
/** Nobody's number. */
const USER = 54_321;
const PROGRAM = new URL("./measured.ts", import.meta.url);

export interface Figures extends Pick<CommandRun, "exitCode" | "ended"> {
  /** Its end. */
  readonly output: string;
  readonly ms: number;
  /** Of the runtime, more than before, in MiB. */
  readonly memory: number;
  /** On the whole machine, at most, more than before. */
  readonly processes: number;
  /** How many of them are left. */
  readonly left: number;
}

export interface Measured {
  readonly as: "this user" | "another user";
  readonly timeoutMs: number;
  /** The folder to work in; absent: one that is deleted. */
  readonly workspace?: string;
}

export async function measure(command: string, { as, timeoutMs, workspace }: Measured): Promise<Figures> {
  const folder = workspace ?? (await realpath(await mkdtemp("/var/tmp/legion-measured-")));
  const order = JSON.stringify({ workspace: folder, command, timeoutMs });
  const node = [process.execPath, "--import", import.meta.resolve("tsx"), PROGRAM.pathname, order];
  const user = ["setpriv", `--reuid=${USER}`, `--regid=${USER}`, "--clear-groups"];
  if (as === "another user") chownSync(folder, USER, USER);
  const [program = "", ...args] = as === "this user" ? node : [...user, ...node];
  try {
    const env = { PATH: process.env["PATH"], HOME: folder, TMPDIR: "/var/tmp" };
    const { stdout } = await promisify(execFile)(program, args, { env, cwd: "/" });
    return JSON.parse(stdout) as Figures;
  } finally {
    if (workspace === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

export function shown(name: string, as: Measured["as"], figures: Figures): string {
  const { ended, exitCode, ms, memory, processes } = figures;
  const how = (ended ?? `exit code ${exitCode}`).padEnd(18);
  return `  ${name.padEnd(34)} ${as.padEnd(13)} ${how} ${(ms / 1000).toFixed(1)} s, +${memory} MiB, +${processes} processes`;
}
