// The command line as people have it: every command a process of its own.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const COMMAND = join(ROOT, "src/cli/index.ts");

export interface Terminal {
  readonly pid: number;
  /** Resolves when `text` was printed. Rejects if the process ends before. */
  until(text: string): Promise<void>;
  /** Resolves with everything that was printed when the process has ended. */
  readonly ended: Promise<Printed>;
  kill(signal: NodeJS.Signals): void;
  /** Types a line into what runs there. */
  type(line: string): void;
}

export interface Printed {
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
}

/** Types `legion ...argv` in a terminal of its own. */
export function type(...argv: readonly string[]): Terminal {
  const child = spawn(process.execPath, ["--import", "tsx", COMMAND, ...argv], {
    cwd: ROOT,
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      XDG_CONFIG_HOME: process.env["XDG_CONFIG_HOME"],
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let out = "";
  let err = "";
  let tell = (): void => undefined;
  let isOver = false;
  const take = (use: (text: string) => void) => (chunk: Buffer) => {
    use(chunk.toString());
    tell();
  };
  child.stdout.on(
    "data",
    take((text) => (out += text)),
  );
  child.stderr.on(
    "data",
    take((text) => (err += text)),
  );
  const ended = new Promise<Printed>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => {
      isOver = true;
      resolve({ exitCode, out, err });
      tell();
    });
  });
  return {
    pid: child.pid!,
    ended,
    kill: (signal) => void child.kill(signal),
    type: (line) => void child.stdin.write(`${line}\n`),
    async until(text) {
      while (!out.includes(text)) {
        if (isOver) throw new Error(`It ended without printing ${JSON.stringify(text)}:\n${out}\n${err}`);
        await new Promise<void>((resolve) => (tell = resolve));
      }
    },
  };
}
