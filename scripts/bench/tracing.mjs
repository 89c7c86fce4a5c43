// What it costs a legion of 500 agents, each at work all the time, that its traces go to a collector, beside a legion that sends none; by
// turns, each of which begins when all of the turn before is sent. The collector is a process of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  byTurns,
  figure,
  instantModel,
  load,
  noop,
  plan,
  report,
  round,
  startBench,
  temporaryFolder,
  trivialCall,
} from "./bench.mjs";

const AGENTS = 500;
const TURNS = 5;
const TURN_MS = 4_000;
/** Nothing came for so long: all is sent. */
const QUIET_MS = 2_500;

if (process.argv[2] === "collector") await collect();

/** Takes everything, and says so byte by byte. */
async function collect() {
  const server = createServer((request, answer) => {
    request.on("data", (part) => process.stdout.write(`${part.length}\n`));
    request.on("end", () => answer.setHeader("content-type", "application/json").end("{}"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.stdout.write(`port ${/** @type {any} */ (server.address()).port}\n`);
  await new Promise(() => undefined);
}

const collector = spawn(process.execPath, [fileURLToPath(import.meta.url), "collector"], {
  stdio: ["ignore", "pipe", "inherit"],
});
let heardAt = 0;
let bytes = 0;
const [hello] = await once(collector.stdout, "data");
const port = Number(String(hello).replace("port", ""));
collector.stdout.on("data", (text) => {
  heardAt = performance.now();
  for (const line of String(text).split("\n")) bytes += Number(line);
});

const { traced } = await load("src/legion/opening/tracing.js");
const { createFileReader } = await load("src/storage/files/reader/reader.js");
const { legionPaths } = await load("src/storage/folder/paths.js");
const { createClock } = await load("src/base/clock.js");

/** @param {Readonly<Record<string, string>>} env */
async function busyLegion(env) {
  const project = temporaryFolder();
  const own = { steps: 0, isOver: true };
  const model = () => instantModel((index) => (own.steps++, own.isOver ? noop() : trivialCall(index)));
  const ids = Array.from({ length: AGENTS }, (_, index) => String(index + 1));
  const plans = await Promise.all(ids.map((id) => plan({ id, model: model() })));
  const legion = await traced({
    ...{ legion: await startBench({ project, plans }), reader: createFileReader(project), nodes: undefined },
    ...{
      paths: legionPaths(project),
      clock: createClock(),
      env,
      tell: (/** @type {string} */ line) => console.error(line),
    },
  });
  return {
    legion,
    /** How long a step takes, in microseconds. */
    async turn() {
      own.isOver = false;
      await legion.control.say(ids, "go");
      await delay(TURN_MS / 4);
      const before = own.steps;
      const began = performance.now();
      await delay(TURN_MS);
      const time = ((performance.now() - began) * 1_000) / (own.steps - before);
      own.isOver = true;
      await legion.untilIdle(new AbortController().signal);
      heardAt = performance.now();
      while (performance.now() - heardAt < QUIET_MS) await delay(100);
      return time;
    },
  };
}

const off = await busyLegion({});
const on = await busyLegion({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
const { one, other, ratio } = await byTurns(off.turn, on.turn, TURNS);
await off.legion.stop();
await on.legion.stop();
collector.kill();
report([
  figure("18", `${AGENTS} agents at work, steps a second, with traces sent`, round(1e6 / other, 0), {
    beside: `without ${round(1e6 / one, 0)}: ${round(1 / ratio, 3)}; ${round(bytes / 1_048_576, 0)} MB sent`,
    goal: ">= 0.97",
    met: 1 / ratio >= 0.97,
  }),
]);
