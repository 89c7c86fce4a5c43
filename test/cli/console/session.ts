// The real program at a real terminal: a pseudo-terminal of script(1), which every Linux has.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { onTestFailed, onTestFinished } from "vitest";
import { PROGRAM } from "../program.ts";
import { createTerminal } from "../screen.ts";

export const hasScript = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;

export interface Session {
  /** Presses keys, or pastes what is marked as pasted. */
  type(keys: string): void;
  /** Resolves when a row of the screen matches. */
  sees(pattern: RegExp): Promise<void>;
  /** What a person sees. */
  rows(): string[];
  /** All that was written to the terminal. */
  written(): string;
  readonly ended: Promise<number | null>;
}

export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
}

/** Types `legion ...args` at a terminal. */
export function sitDown(args: string, { cwd, env, columns }: Place): Session {
  const command = `stty cols ${columns} rows 24; exec '${process.execPath}' '${PROGRAM}' ${args}`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    cwd,
    env: { PATH: process.env["PATH"], SHELL: "/bin/sh", TERM: "xterm", NO_COLOR: "1", ...env },
  });
  const screen = createTerminal(columns);
  // A row that never came is only known by those that did.
  onTestFailed(() => console.log(screen.rows().join("\n")));
  let look = (): void => undefined;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen.show(text);
    look();
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  // Nothing of it writes any more where the next is cleared away.
  onTestFinished(async () => {
    for (const pid of childrenOf(child.pid!)) process.kill(pid, "SIGKILL");
    await ended;
  });
  return {
    type: (keys) => void child.stdin.write(keys),
    rows: screen.rows,
    written: screen.written,
    ended,
    sees: (pattern) =>
      new Promise((resolve, reject) => {
        look = () => screen.rows().some((row) => pattern.test(row)) && resolve();
        void ended.then(() => reject(new Error(`never seen: ${pattern}\n${screen.rows().join("\n")}`)));
        look();
      }),
  };
}

/** None of one that has ended. */
function childrenOf(pid: number): readonly number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  return existsSync(path) ? readFileSync(path, "utf8").trim().split(" ").filter(Boolean).map(Number) : [];
}
