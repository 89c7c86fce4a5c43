// One run of the script in the sandbox of an agent.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { LegionError } from "../../base/errors.ts";
import type { StartedProgram } from "../../domain/authoring/program.ts";
import { OWN_FOLDER, type Environment, type WorktreeRepository } from "../environment.ts";

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

export type ScriptOrder = "seed" | "look" | "differ";

export interface ScriptRun {
  /** One at a time. Resolves with the answer; rejects with REFUSED, in the words of git, where it failed, and is over then. */
  ask(order: ScriptOrder): Promise<Buffer>;
  end(): Promise<void>;
}

const MAX_ANSWER = 256 * 1024 * 1024;
const MAX_COMPLAINT = 4_096;

/** @param folder the one that is GIT_DIR */
export async function runScript(
  { environment, workspace, mark }: SnapshotPlace,
  { own, shared }: WorktreeRepository,
  folder: string,
): Promise<ScriptRun> {
  const name = `answer-${randomUUID()}`;
  const program = await environment.start({
    ...{ command: "sh", args: [`${OWN_FOLDER}/script`, own, shared, name], cwd: workspace, mark },
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
  const failed = watch(program);
  return {
    async ask(order) {
      const done = once(program.stdout, "data");
      done.catch(() => undefined);
      program.stdin.write(`${order}\n`);
      await Promise.race([done, failed]);
      const answer = join(folder, name);
      if ((await stat(answer)).size > MAX_ANSWER) throw new LegionError("REFUSED", "too much was changed");
      return readFile(answer);
    },
    end: () => program.end(),
  };
}

/** Rejects with what it complained of when it has ended. */
function watch({ stdout, stderr, gone }: StartedProgram): Promise<never> {
  let complaint = "";
  stderr.on(
    "data",
    (chunk: Buffer) => (complaint = (complaint + chunk.toString("utf8")).slice(-MAX_COMPLAINT)),
  );
  stdout.resume();
  const failed = gone.then(() => {
    const lines = complaint.trim().split("\n");
    // What comes after the first says no more of the cause.
    const said = lines.find((line) => line.startsWith("error: ")) ?? lines.at(-1)!;
    throw new LegionError("REFUSED", `git: ${said.replace(/^(fatal|error): /, "") || "it says nothing"}`);
  });
  failed.catch(() => undefined);
  return failed;
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
