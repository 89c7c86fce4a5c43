// A batch of 200 tasks of 5 commands that take 100 ms each, 8 at once, as a process: how long it takes beside its commands alone, and
// what its last quarter holds in memory beside its first.

import { spawn } from "node:child_process";
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { figure, median, report, round, temporaryFolder } from "./bench.mjs";

const TASKS = 200;
const WORKERS = 8;
const COMMANDS = 5;
const COMMAND_MS = 100;
const SAMPLE_MS = 50;
const MB = 1_048_576;
const PAGE = 4_096;

const program = fileURLToPath(new URL("../../dist/src/cli/index.js", import.meta.url));
const project = temporaryFolder();
const home = temporaryFolder();
const output = join(temporaryFolder(), "out");
mkdirSync(join(project, ".ai-legion"));
writeFileSync(join(project, ".ai-legion/config.yaml"), "environment: local\n");
const step = `n=$(cat done.txt 2>/dev/null | wc -l)
[ "$n" -ge ${COMMANDS} ] && echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && exit
echo "$n" >> done.txt; sleep ${COMMAND_MS / 1_000}
`;
writeFileSync(join(project, "step.sh"), step);
const answer = { calls: [{ action: "bash", parameters: { command: "sh step.sh" } }] };
const answers = Array.from({ length: TASKS * (COMMANDS + 1) }, () => answer);
writeFileSync(join(home, "script.json"), JSON.stringify(answers));
const lines = Array.from({ length: TASKS }, (_, index) => `{"id":"t${index}","task":"Do it."}\n`);
writeFileSync(join(home, "tasks.jsonl"), lines.join(""));

/** @type {number[][]} */
const quarters = [[], [], [], []];
let done = 0;
const args = ["batch", join(home, "tasks.jsonl"), "-w", String(WORKERS), "--output", output];
const model = ["--model", `scripted:${join(home, "script.json")}`, "--yolo", "--trust"];
const env = { PATH: process.env["PATH"], HOME: home };
const beganMs = performance.now();
const child = spawn(process.execPath, [program, ...args, ...model], { cwd: project, env });
const sampling = setInterval(() => {
  const [, pages = "0"] = readFileSync(`/proc/${child.pid}/statm`, "utf8").split(" ");
  if (done > 0) quarters[Math.min(3, Math.floor((done * 4) / TASKS))]?.push((Number(pages) * PAGE) / MB);
}, SAMPLE_MS);
let err = "";
child.stderr.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
  err += text;
  done = Math.max(done, ...[...text.matchAll(/\((\d+) of /g)].map(([, n]) => Number(n)));
});
child.stdout.resume();
const code = await new Promise((resolve) => child.on("exit", resolve));
clearInterval(sampling);
const tookMs = performance.now() - beganMs;
if (code !== 0) throw new Error(`the batch ended with ${code}:\n${err}`);

const aloneMs = (TASKS / WORKERS) * COMMANDS * COMMAND_MS;
const [first, last] = [median(quarters[0] ?? []), median(quarters[3] ?? [])];
report([
  figure(
    "batch",
    `${TASKS} tasks of ${COMMANDS} commands of ${COMMAND_MS} ms, ${WORKERS} at once`,
    `${round(tookMs / 1_000)} s`,
    {
      beside: `its commands alone: ${round(aloneMs / 1_000)} s`,
      goal: "<= 1.3 times",
      met: tookMs <= 1.3 * aloneMs,
    },
  ),
  figure("batch", "memory of the process, last quarter of the tasks", `${round(last)} MB`, {
    beside: `first quarter: ${round(first)} MB`,
    goal: "<= 1.2 times",
    met: last <= 1.2 * first,
  }),
]);
