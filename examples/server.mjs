// An agent behind HTTP: what is posted is said to it, and what it says next is the answer.
//
//   node examples/server.mjs [port] [folder]
//   curl -d "list" localhost:8080

import { realpath } from "node:fs/promises";
import { createServer } from "node:http";
import { createLocalEnvironment, loadConfig, packageDir, planRoster, startLegion } from "ai-legion";

const [port = "8080", folder = "."] = process.argv.slice(2);
const project = await realpath(folder);
const config = await loadConfig({ projectDir: project, env: process.env, flags: {} });
const { roles, limits, protectedPaths } = await planRoster(
  { kind: "count", count: 1 },
  { config, places: { projectDir: project, packageDir } },
);

/** Who waits for the next answer. */
let answer = (_content) => {};

const legion = await startLegion({
  project,
  plans: roles.map(({ plan }) => plan),
  limits,
  durability: config.durability,
  delayMs: config.delayMs,
  heartbeatMs: config.heartbeatMs,
  environment: createLocalEnvironment(process.env),
  settings: (module) => (module === "system" ? { protectedPaths } : {}),
  watch({ agent, kind, event }) {
    if (agent === "0" && kind === "event" && event.kind === "message") answer(event.message.content);
  },
});

async function ask(question) {
  const answered = new Promise((resolve) => (answer = resolve));
  await legion.control.say(["1"], question);
  return answered;
}

/** `undefined`: it is too long. */
async function shortText(request) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > 10_000) return undefined;
  }
  return text;
}

let turn = Promise.resolve();

async function respond(request, response) {
  // A page in a browser can post to this machine, too: it may not speak to the agent in your name.
  const question = request.method === "POST" && !request.headers.origin && (await shortText(request));
  if (!question) return response.writeHead(400).end("Post a short text, and not from a web page.\n");
  // One after the other: an answer does not say which question it is for.
  const answered = (turn = turn.catch(() => {}).then(() => ask(question)));
  response.end(`${await answered}\n`);
}

const server = createServer((request, response) => {
  respond(request, response).catch((error) => response.writeHead(500).end(`${error.message}\n`));
});

server.listen(Number(port), "127.0.0.1", () => {
  console.log(`Agent 1 listens on http://127.0.0.1:${server.address().port}`);
});

async function end() {
  server.close();
  await legion.stop();
  process.exit();
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void end());
