// The process of one server, with all that it started.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { NodeHost } from "../../../src/domain/authoring/host.ts";
import type { Entry, Way } from "../config/entry.ts";

export type Program = Pick<Entry, "name"> & { readonly way: Extract<Way, { kind: "stdio" }> };

export interface ServerProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when it has ended and its pipes are closed, with what it came to, in one sentence. */
  readonly gone: Promise<string>;
  /** The end of what it printed beside messages, in one sentence. */
  said(): string;
  /** Adds to that. */
  note(line: string): void;
  /** Asks it to end, and makes it, with all that it started. */
  end(): Promise<void>;
}

/** What every program needs, beside what the entry names. */
const PASSED_ON = ["PATH", "LANG", "TERM", "HOME", "TMPDIR"];
/** How long it may take to end when its input is closed, and then when it is told to. */
const PATIENCE_MS = 500;
const MAX_SAID = 2_048;
const MAX_TOLD = 400;

/** Rejects, in one sentence, if there is no such program. */
export async function startProcess(
  { way }: Program,
  node: Pick<NodeHost, "environment" | "endTree">,
): Promise<ServerProcess> {
  const mark = randomUUID();
  const child = spawn(way.command, way.args, {
    cwd: way.cwd,
    // The marks last: no entry takes them away.
    env: {
      ...pick(node.environment, PASSED_ON),
      ...way.env,
      ...pick(node.environment, ["LEGION_RUN"]),
      LEGION_SERVER: mark,
    },
    stdio: "pipe",
    // A process group of its own, to be ended as one.
    detached: true,
  });
  // Before anything is waited for: it may be gone by then.
  const closed = new Promise<string>((resolve) => {
    child.once("close", (code, signal) =>
      resolve(signal ? `It was ended by ${signal}.` : `It exited with code ${code}.`),
    );
  });
  const endAll = (): Promise<void> => node.endTree(child.pid!, mark);
  let ending: Promise<void> | undefined;
  // What it started may hold its pipes open.
  child.once("exit", () => void (ending ??= endAll()));
  let said = "";
  const note = (text: string): void => void (said = (said + text).slice(-MAX_SAID));
  child.stderr.setEncoding("utf8").on("data", note);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => undefined);
  await once(child, "spawn").catch((error: NodeJS.ErrnoException) => {
    throw new Error(notStarted(way, error.code));
  });
  return {
    child,
    gone: closed,
    said: () => tell(said),
    note: (line) => note(`${line}\n`),
    async end() {
      child.stdin.end();
      if (!(await isDone(closed))) child.kill("SIGTERM");
      if (!(await isDone(closed))) await endAll();
      await Promise.all([closed, ending]);
    },
  };
}

async function isDone(closed: Promise<string>): Promise<boolean> {
  const late = new AbortController();
  const isLate = delay(PATIENCE_MS, false, { signal: late.signal }).catch(() => false);
  const done = await Promise.race([closed.then(() => true), isLate]);
  late.abort();
  return done;
}

function notStarted({ command, cwd }: Program["way"], code: string | undefined): string {
  if (code === "ENOENT")
    return `There is no program ${JSON.stringify(command)}, or no folder ${JSON.stringify(cwd)}.`;
  return code === "EACCES"
    ? `${JSON.stringify(command)} may not be run.`
    : `It could not be started (${code}).`;
}

function tell(said: string): string {
  const line = said.replace(/\s+/g, " ").replace(/\p{C}/gu, "?").trim();
  return line === "" ? "It printed nothing." : `It printed at last: ${line.slice(-MAX_TOLD)}`;
}

function pick(from: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}
