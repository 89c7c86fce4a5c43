// How long the command line takes: whole processes, in turn with `node -e 0`.

import { spawnSync, spawn } from "node:child_process";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { figure, median, report, round, temporaryFolder } from "./bench.mjs";

const cli = fileURLToPath(new URL("../../dist/src/cli/index.js", import.meta.url));
const RUNS = 15;

/** @param {string[]} args */
function time(args) {
  const started = performance.now();
  spawnSync(process.execPath, args, { stdio: "ignore" });
  return performance.now() - started;
}

/** From spawning `args` to its first request at the server. @param {(port: number) => string[]} args */
async function untilRequest(args) {
  return new Promise((resolve) => {
    const started = { at: 0 };
    const server = createServer((request, response) => {
      const took = performance.now() - started.at;
      response.writeHead(500).end();
      request.resume();
      server.close();
      server.closeAllConnections();
      // Ended in order, as a person does: what was compiled is kept where Node keeps it.
      child.once("exit", () => resolve(took)).kill("SIGINT");
    }).listen(0, "127.0.0.1");
    /** @type {import("node:child_process").ChildProcess} */
    let child;
    server.on("listening", () => {
      const address = server.address();
      const port = typeof address === "object" && address ? address.port : 0;
      started.at = performance.now();
      child = spawn(process.execPath, args(port), {
        stdio: "ignore",
        cwd: temporaryFolder(),
        env: { ...process.env, OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: "bench-key" },
      });
    });
  });
}

const openai = import.meta.resolve("openai");
const sdk = `import(${JSON.stringify(openai)}).then(({ default: OpenAI }) => new OpenAI().chat.completions.create({ model: "m", messages: [{ role: "user", content: "x" }] })).catch(() => 0)`;
const project = temporaryFolder();
time([
  cli,
  "start",
  "1",
  "--model",
  "offline",
  "--tick",
  "0",
  "--task",
  "goal rest",
  "--until-idle",
  "--dir",
  project,
]);
const node = [];
const send = [];
const help = [];
const version = [];
const first = [];
const raw = [];
for (let run = 0; run < RUNS; run++) {
  node.push(time(["-e", "0"]));
  help.push(time([cli, "--help"]));
  version.push(time([cli, "--version"]));
  send.push(time([cli, "send", "1", "hello", "--dir", project]));
  if (run % 2 > 0) continue;
  raw.push(await untilRequest(() => ["-e", sdk]));
  first.push(
    await untilRequest(() => [
      cli,
      "start",
      "1",
      "--model",
      "openai/m",
      "--tick",
      "0",
      "--task",
      "hello",
      "--limits",
      "none",
    ]),
  );
}
const ratio = median(help) / median(node);
const spawnRatio = median(first) / median(raw);
report([
  figure("18", "legion --help", `${round(median(help), 0)} ms`, {
    beside: `node -e 0 ${round(median(node), 0)} ms: ${round(ratio, 2)} times`,
    goal: "<= 1.35 times",
    met: ratio <= 1.35,
  }),
  figure("18", "legion --version", `${round(median(version), 0)} ms`),
  figure("19", "legion send, to an agent that nobody runs", `${round(median(send), 0)} ms`, {
    beside: `node -e 0: ${round(median(send) / median(node), 2)} times`,
  }),
  figure("19", "spawn -> first model request", `${round(median(first), 0)} ms`, {
    beside: `the SDK alone ${round(median(raw), 0)} ms: ${round(spawnRatio, 2)} times`,
    goal: "<= 1.3 times",
    met: spawnRatio <= 1.3,
  }),
]);
