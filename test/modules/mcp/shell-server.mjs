// An MCP server that does what it is told: its one tool runs a shell script, and says what came of it. Plain JavaScript on
// Node alone.

import { spawnSync } from "node:child_process";
import { createInterface } from "node:readline";

const { LACKS } = process.env;
if (LACKS) {
  process.stderr.write(`request failed: getaddrinfo EAI_AGAIN ${LACKS}\n`);
  process.exit(1);
}

/** @param {string} script */
function run(script) {
  const { stdout, stderr, status } = spawnSync("sh", ["-c", script], { encoding: "utf8", timeout: 30_000 });
  return { content: [{ type: "text", text: `${stdout}${stderr}exit ${status}` }] };
}

/** @type {Record<string, (params: any) => object>} */
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "shell", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "sh", inputSchema: { type: "object" } }] }),
  "tools/call": ({ arguments: { script } }) => run(script),
};

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    if (id === undefined) return;
    const answer = answers[method];
    const said = answer ? { result: answer(params) } : { error: { code: -32601, message: `no ${method}` } };
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...said })}\n`);
  })
  .on("close", () => process.exit(0));
