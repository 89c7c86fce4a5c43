import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { open } from "../opened.ts";

const { workspace, command, timeoutMs } = JSON.parse(process.argv[2]!) as {
  readonly workspace: string;
  readonly command: string;
  readonly timeoutMs: number;
};
const MIB = 1024 ** 2;
const countProcesses = (): number => readdirSync("/proc").filter((name) => /^\d+$/.test(name)).length;

const environment = await open("bubblewrap", workspace, process.env);
const before = { processes: countProcesses(), memory: process.memoryUsage.rss() };
let most = before.processes;
const timer = setInterval(() => (most = Math.max(most, countProcesses())), 10);
const started = performance.now();
const { signal } = new AbortController();
const { output, exitCode, ended } = await environment.execute(command, { cwd: workspace, timeoutMs, signal });
const ms = Math.round(performance.now() - started);
clearInterval(timer);
const memory = Math.max(0, Math.round((process.memoryUsage.rss() - before.memory) / MIB));
await delay(50);
const left = countProcesses() - before.processes;
console.log(
  JSON.stringify({
    exitCode,
    ended,
    output: output.slice(-300),
    ms,
    memory,
    processes: most - before.processes,
    left,
  }),
);
await environment.close();
process.exit(0);
