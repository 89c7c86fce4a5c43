// One run of the script in the sandbox of an agent.

import { setTimeout as delay } from "node:timers/promises";
import { LegionError } from "../../base/errors.ts";
import type { StartedProgram } from "../../domain/authoring/program.ts";
import { OWN_FOLDER, type Environment, type WorktreeRepository } from "../environment.ts";
import { END } from "./script.ts";

export interface SnapshotPlace {
  /** Of the agent. */
  readonly environment: Pick<Environment, "kind" | "start">;
  /** Absolute real path. */
  readonly workspace: string;
  /** Where git keeps what it knows of the workspace; absent: in there. */
  readonly repository?: WorktreeRepository;
  /** What is started is marked with it, as `StartOptions` says. */
  readonly mark: string;
}

export interface ScriptRun {
  /** The first line that it prints. */
  readonly line: Promise<string>;
  /** All that comes after that line, when it has ended. Rejects with REFUSED, in the words of git, where it failed. */
  readonly rest: Promise<Buffer>;
  /** Tells it to go on. */
  goOn(): void;
  end(): Promise<void>;
}

const MAX_PRINTED = 256 * 1024 * 1024;
const MAX_COMPLAINT = 4_096;
const NEWLINE = 10;

/** @param folder the one that is GIT_DIR */
export async function runScript(
  { environment, workspace, mark }: SnapshotPlace,
  order: "seed" | "look",
  { own, shared }: WorktreeRepository,
  folder: string,
): Promise<ScriptRun> {
  const program = await environment.start({
    ...{ command: "sh", args: [`${OWN_FOLDER}/script`, order, own, shared], cwd: workspace, mark },
    ...{ network: "off", workspace: "reads", own: folder },
    env: {
      ...{ GIT_DIR: OWN_FOLDER, GIT_WORK_TREE: workspace, LC_ALL: "C" },
      ...{ GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_ATTR_NOSYSTEM: "1" },
      // These outrank what the project says wherever git reads that as well.
      ...{ GIT_CONFIG_COUNT: "2", GIT_CONFIG_KEY_0: "core.fsmonitor", GIT_CONFIG_VALUE_0: "false" },
      ...{ GIT_CONFIG_KEY_1: "core.hooksPath", GIT_CONFIG_VALUE_1: "/dev/null" },
      ...{ GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_TERMINAL_PROMPT: "0" },
    },
  });
  const { line, rest } = read(program);
  return {
    line,
    rest,
    goOn: () => void program.stdin.write("\n"),
    end: () => program.end(),
  };
}

function read({ stdout, stderr, gone, end }: StartedProgram): Pick<ScriptRun, "line" | "rest"> {
  const chunks: Buffer[] = [];
  let [complaint, bytes] = ["", 0];
  stderr.on(
    "data",
    (chunk: Buffer) => (complaint = (complaint + chunk.toString("utf8")).slice(-MAX_COMPLAINT)),
  );
  const failed = (): LegionError => {
    const said = complaint.trim().split("\n").at(-1) ?? "";
    return new LegionError("REFUSED", `git: ${said.replace(/^(fatal|error): /, "") || "it says nothing"}`);
  };
  const line = new Promise<string>((resolve, reject) => {
    let isTold = false;
    stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_PRINTED) return void end();
      chunks.push(chunk);
      if (isTold || !chunk.includes(NEWLINE)) return;
      isTold = true;
      const all = Buffer.concat(chunks);
      resolve(all.toString("latin1", 0, all.indexOf(NEWLINE)));
    });
    void gone.then(() => reject(failed()));
  });
  const rest = gone.then(() => {
    const all = Buffer.concat(chunks);
    if (!all.subarray(-END.length).equals(Buffer.from(END))) throw failed();
    return all.subarray(all.indexOf(NEWLINE) + 1, -END.length);
  });
  for (const one of [line, rest]) one.catch(() => undefined);
  return { line, rest };
}

/** Rejects with REFUSED where it takes longer. */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const over = new AbortController();
  const late = delay(ms, undefined, { signal: over.signal }).then(() => {
    throw new LegionError("REFUSED", `git took longer than ${ms / 1_000} s`);
  });
  late.catch(() => undefined);
  return Promise.race([work, late]).finally(() => over.abort());
}
