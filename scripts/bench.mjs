// `npm run bench [name ...] [--option ...]`: what the runtime costs, each figure beside a limit measured in the same run. Nothing here
// passes or fails: machines differ, ratios tell.

import { spawnSync } from "node:child_process";
import { availableParallelism, cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { writePage } from "./bench/table.mjs";
import { root } from "./repo.mjs";

const MEASURES = [
  "step",
  "receipts",
  "undo",
  "warm",
  "peers",
  "reads",
  "subscriber",
  "dashboard",
  "page",
  "tracing",
  "prompt",
  "search",
  "memory-search",
  "recall",
  "scribe",
  "latency",
  "tick",
  "append",
  "written",
  "reload",
  "digest",
  "report",
  "moment",
  "page-file",
  "open",
  "idle",
  "resting",
  "delivery",
  "body",
  "tokens",
  "text",
  "redact",
  "gate",
  "purse",
  "trajectory",
  "batch",
  "start",
  "template",
  "sandbox",
  "commands",
  "web-reads",
  "outside/call",
  "outside/tools",
  "outside/servers",
  "outside/skills",
  "outside/heap",
  "redis-throughput",
  "redis-latency",
  "redis-trips",
  "redis-unwatched",
  "redis-scale",
  "redis-ps",
  "redis-resting",
  "redis-failover",
];

/**
 * @typedef {object} Figure
 * @property {string} measure
 * @property {string} row the line of the goals that it belongs to
 * @property {string} what
 * @property {string} value
 * @property {string} beside the limit in the same run; may be empty
 * @property {string} goal
 * @property {"met" | "missed" | ""} verdict
 */

const isForPage = process.argv.includes("--page");
const words = process.argv.slice(2).filter((word) => word !== "--page");
const options = words.findIndex((word) => word.startsWith("--"));
const chosen = options === -1 ? words : words.slice(0, options);
const measures = chosen.length > 0 ? chosen : MEASURES;
console.log(
  `Node ${process.version}, ${availableParallelism()} x ${cpus()[0]?.model.trim() ?? "unknown processor"}`,
);
console.log("Each measure runs in a process of its own; goals are those of the project for one process.\n");

/** @type {Figure[]} */
const figures = [];
for (const name of measures) {
  process.stderr.write(`${name} ...`);
  const script = fileURLToPath(new URL(`./bench/${name}.mjs`, import.meta.url));
  const run = spawnSync(process.execPath, ["--expose-gc", script, ...words.slice(chosen.length)], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 64 * 1_048_576,
  });
  process.stderr.write(run.status === 0 ? " done\n" : ` failed (exit ${run.status})\n`);
  if (run.status !== 0) process.exitCode = 1;
  else
    figures.push(...JSON.parse(run.stdout).map((/** @type {Figure} */ one) => ({ ...one, measure: name })));
}

if (isForPage) writePage(figures);

/** @type {["row", "what", "value", "beside", "goal", "verdict"]} */
const columns = ["row", "what", "value", "beside", "goal", "verdict"];
const widths = columns.map((column) =>
  Math.max(column.length, ...figures.map((figure) => figure[column].length)),
);
for (const line of [Object.fromEntries(columns.map((column) => [column, column])), ...figures]) {
  console.log(
    columns
      .map((column, index) => String(line[column]).padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
console.log(
  `\nFloors and fixtures are in ${join("scripts", "bench")}; quote a figure with the machine it was taken on.`,
);
