// The page with the record of an agent that worked long in it: what `legion trace --format html` takes, beside a trace of the same log.

import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { figure, instantModel, noop, plan, report, round } from "./bench.mjs";
import { startBench, temporaryFolder, trivialCall } from "./bench.mjs";

const EVENTS = [5_000, 20_000];
const WINDOW = 200_000;
const command = fileURLToPath(new URL("../../dist/src/cli/index.js", import.meta.url));

process.env["XDG_CONFIG_HOME"] = temporaryFolder();

/** @param {number} events three a step: the call, the decision, its result */
async function workedProject(events) {
  const project = temporaryFolder();
  const model = instantModel((index) => (index < events / 3 ? trivialCall(index) : noop()), WINDOW);
  const legion = await startBench({ project, plans: [await plan({ id: "1", model })] });
  await legion.control.say(["1"], "go");
  await legion.untilIdle(new AbortController().signal);
  await legion.stop();
  return project;
}

/** @param {string} project @param {string} format */
function trace(project, format) {
  const file = join(project, `trace.${format}`);
  const started = performance.now();
  const order = ["trace", "--format", format, "--output", file, "--dir", project];
  const { status, stderr } = spawnSync(process.execPath, [command, ...order], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return { ms: performance.now() - started, bytes: statSync(file).size };
}

const figures = [];
for (const events of EVENTS) {
  const project = await workedProject(events);
  const page = trace(project, "html");
  const beside = `otlp: ${round(trace(project, "otlp").ms)} ms`;
  const value = `${round(page.ms)} ms, ${round(page.bytes / 1_000)} kB`;
  figures.push(figure("page-file", `a page of ${events} events`, value, { beside }));
}
report(figures);
