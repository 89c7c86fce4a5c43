// A session in three tasks: a file is created, changed, and read. The second task is killed in the middle; the third goes on.
//
//   node examples/session.mjs [folder]

import { spawn } from "node:child_process";
import { join } from "node:path";
import { packageDir } from "ai-legion";

const LEGION = join(packageDir, "dist/src/cli/index.js");
const [project = "."] = process.argv.slice(2);

/** `legion run --session hello <task>`, in a process of its own; `onOutput` is told what it prints. */
function run(task, onOutput, ...options) {
  const child = spawn(process.execPath, [LEGION, "run", "--session", "hello", ...options, task], {
    cwd: project,
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout.setEncoding("utf8").on("data", (text) => onOutput(text, child));
  return new Promise((resolve) => child.on("close", (code, signal) => resolve(signal ?? code)));
}

const print = (text) => void process.stdout.write(text);

await run("write hello.py: print('Hello')", print);

// Its decision is in the log before anything is done, and then the process is gone. With --json every event is told.
const ending = await run(
  "write hello.py: print('Hello, world')",
  (text, child) => void (text.includes('"kind":"decision"') && child.kill("SIGKILL")),
  "--json",
);
console.log(`The second task ended with ${ending}.`);

// What was left open is settled first: writing a file does no harm twice, so that is done again. What may do harm, such as a
// command, is not: the agent is told that nobody knows what came of it.
await run("read hello.py", print);
