// Programs that a test starts, and that are gone when the test process is, however that ends.

import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

export interface Kept {
  readonly pid: number;
  /** Resolves when the program has ended, whoever ended it. */
  readonly gone: Promise<void>;
  /** Ends the program if it still runs; `keep`: its folder stays. */
  end(folder: "keep" | "remove"): Promise<void>;
}

export interface Program {
  readonly command: readonly string[];
  readonly folder: string;
  /** The line of its output that says that it is ready. */
  readonly ready: RegExp;
}

/**
 * The shell is the parent of the program, so its number stays the program's until the shell ends. It waits for a word or for
 * the end of its input, which comes when this process ends.
 */
const KEEPER = `
folder=$1; shift
"$@" & child=$!
echo "pid $child"
exec >&- 2>&-
read -r word
kill -9 "$child"
wait
[ "$word" = keep ] || rm -rf "$folder"
`;

/** Resolves when it is ready; rejects with what it said if it ends before. */
export async function keep(program: Program): Promise<Kept> {
  const shell = spawn("/bin/sh", ["-c", KEEPER, "keeper", program.folder, ...program.command], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = new Promise<void>((resolve) => shell.once("close", () => resolve()));
  const gone = new Promise<void>((resolve) => shell.stdout.once("close", () => resolve()));
  // The shell may have ended already.
  shell.stdin.on("error", () => {});
  const end = async (word: "keep" | "remove") => {
    shell.stdin.end(`${word}\n`);
    await closed;
  };
  const lines: string[] = [];
  let pid = 0;
  const ready = new Promise<"ready">((resolve) => {
    createInterface(shell.stdout).on("line", (line) => {
      lines.push(line);
      pid ||= Number(/^pid (\d+)$/.exec(line)?.[1] ?? 0);
      if (pid > 0 && lines.some((said) => program.ready.test(said))) resolve("ready");
    });
  });
  if ((await Promise.race([ready, gone])) !== "ready") {
    await end("remove");
    throw new Error(`${program.command.join(" ")} ended before it was ready:\n${lines.join("\n")}`);
  }
  return { pid, gone, end };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("a server without a port");
  return address.port;
}
