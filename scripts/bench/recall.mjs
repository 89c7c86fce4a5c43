// How well what was said is found again: our own data set, kept by a scribe without a model, and by one whose model sums each message
// up as the data set says that a good one would.

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { figure, report, temporaryFolder } from "./bench.mjs";
import { root } from "../repo.mjs";

const FILE = join(root, "examples/recall/recall.json");
const PROGRAM = join(root, "dist/src/cli/index.js");

/** @typedef {{ kind: string, way: string, asked: number, hit1: number, hit5: number, hit10: number, mrr: number }} Line */
/** @typedef {{ text: string, gist: string }} Message */

/** @type {readonly { conversation: Record<string, unknown> }[]} */
const samples = JSON.parse(await readFile(FILE, "utf8"));
const messages = samples.flatMap(({ conversation }) =>
  Object.values(conversation).flatMap((part) => /** @type {Message[]} */ (Array.isArray(part) ? part : [])),
);
const gists = new Map(messages.map(({ text, gist }) => [text, gist]));

/** The message that a question of the scribe is about; it is quoted line by line. @param {string} prompt */
function messageIn(prompt) {
  const quoted = /\nContent:\n((?:>.*\n)+)/.exec(prompt)?.[1] ?? "";
  return quoted
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^> ?/, ""))
    .join("\n");
}

/** @param {string} body */
function answerTo(body) {
  const { messages: turns, tools } = JSON.parse(body);
  const name = tools[0].function.name;
  const summary = gists.get(messageIn(turns[0].content));
  if (name === "add_entry" && summary === undefined)
    throw new Error("asked about what is not in the data set");
  const given = name === "put_context" ? { content: "# Notes\nKept." } : { summary };
  const call = {
    index: 0,
    id: "call",
    type: "function",
    function: { name, arguments: JSON.stringify(given) },
  };
  const chunks = [
    { choices: [{ index: 0, delta: { role: "assistant", tool_calls: [call] }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
    { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
  ];
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
}

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (text) => (body += text));
  request.on("end", () => {
    response.setHeader("content-type", "text/event-stream");
    response.end(answerTo(body));
  });
});
await new Promise((listening) => server.listen(0, "127.0.0.1", () => listening(undefined)));
const address = /** @type {import("node:net").AddressInfo} */ (server.address());

/** @param {string} model @returns {Promise<readonly Line[]>} */
function evaluate(model) {
  const url = `http://127.0.0.1:${address.port}/v1`;
  const child = spawn(
    process.execPath,
    [PROGRAM, "memory", "eval", FILE, "--model", model, "--yes", "--json", "--limits", "none"],
    {
      cwd: temporaryFolder(),
      env: {
        ...process.env,
        XDG_CONFIG_HOME: temporaryFolder(),
        OPENAI_BASE_URL: url,
        OPENAI_API_KEY: "none",
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let out = "";
  child.stdout.on("data", (chunk) => (out += chunk));
  return new Promise((resolve, reject) =>
    child.on("close", (code) => {
      if (code !== 0) reject(new Error(`memory eval ended with ${code}`));
      else
        resolve(
          out
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line)),
        );
    }),
  );
}

const offline = await evaluate("offline");
const scripted = (await evaluate("openai/gists")).filter(({ way }) => way === "scribe");
server.close();
const lines = [
  ...offline.map((line) => ({ ...line, way: line.way === "scribe" ? "scribe without a model" : line.way })),
  ...scripted.map((line) => ({ ...line, way: "scribe whose model sums up well" })),
];
report(
  lines.map(({ kind, way, asked, hit1, hit5, hit10, mrr }) =>
    figure("", `${asked} questions (${kind}), ${way}`, `MRR ${mrr.toFixed(2)}`, {
      beside: `hit@1 ${hit1.toFixed(2)}, @5 ${hit5.toFixed(2)}, @10 ${hit10.toFixed(2)}`,
    }),
  ),
);
