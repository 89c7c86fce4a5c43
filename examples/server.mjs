// An agent behind HTTP: what is posted is said to it, and what it says is the answer. Meanwhile `npx legion ps` and `npx legion
// send 1 <text>`, in the folder, reach it as well.
//
//   node examples/server.mjs [port] [folder]
//   curl -d "list" localhost:8080

import { createServer } from "node:http";
import { Legion } from "ai-legion";

const [port = "8080", project = "."] = process.argv.slice(2);
const legion = await Legion.open({ project });
const agent = await legion.spawn();

/** `undefined`: it is too long. */
async function shortText(request) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > 10_000) return undefined;
  }
  return text;
}

async function respond(request, response) {
  // A page in a browser can post to this machine, too: it may not speak to the agent in your name.
  const question = request.method === "POST" && !request.headers.origin && (await shortText(request));
  if (!question) return response.writeHead(400).end("Post a short text, and not from a web page.\n");
  // Those that come meanwhile wait for their turn.
  const { text } = await agent.prompt(question);
  response.end(`${text}\n`);
}

const server = createServer((request, response) => {
  respond(request, response).catch((error) => response.writeHead(500).end(`${error.message}\n`));
});

server.listen(Number(port), "127.0.0.1", () => {
  console.log(`Agent ${agent.id} listens on http://127.0.0.1:${server.address().port}`);
});

async function end() {
  server.close();
  await legion.stop();
  process.exit();
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void end());
