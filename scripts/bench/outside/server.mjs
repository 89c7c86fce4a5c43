// An MCP server that costs next to nothing: `node server.mjs [milliseconds until it answers] [tools]`. Plain JavaScript on Node alone.

import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const [slowMs, count] = process.argv.slice(2).map(Number);
const inputSchema = {
  type: "object",
  properties: { n: { type: "string", description: "What is touched" } },
  required: ["n"],
};
const tools = Array.from({ length: count ?? 1 }, (_, n) => ({
  name: `touch${n}`,
  description: "Touches something, and says so in a few words",
  inputSchema,
}));

/** @type {Record<string, (params: any) => object>} */
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "bench", version: "1" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ arguments: { n } }) => ({ content: [{ type: "text", text: `touched ${n}` }] }),
};

await sleep(slowMs ?? 0);
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const said = answer ? { result: answer(params) } : { error: { code: -32601, message: `no ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...said })}\n`);
});
