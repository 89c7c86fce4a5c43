// A server as its authors would write it, in both eras of the protocol.

import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const text = (words) => ({ type: "text", text: words });

serveStdio(() => {
  const server = new McpServer(
    { name: "sdk", version: "1" },
    { capabilities: { tools: {}, resources: {}, prompts: {} } },
  );
  const add = (name, config, run) => server.registerTool(name, { description: name, ...config }, run);
  add("add", { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
    content: [text(String(a + b))],
  }));
  add("fails", {}, () => ({ content: [text("no such city")], isError: true }));
  add("throws", {}, () => {
    throw new Error("out of order");
  });
  add("draws", {}, () => ({
    content: [text("A dot:"), { type: "image", mimeType: "image/png", data: "iVBORw0K" }],
  }));
  add("counts", { outputSchema: z.object({ n: z.number() }) }, () => ({
    content: [],
    structuredContent: { n: 7 },
  }));
  add("says nothing", {}, () => ({ content: [] }));
  server.registerResource("readme", "test://readme", { description: "About it" }, (uri) => ({
    contents: [{ uri: uri.href, text: "Read me." }],
  }));
  server.registerResource("bytes", "test://bytes", {}, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "application/zip", blob: "AAECAw==" }],
  }));
  server.registerPrompt(
    "greet",
    { description: "Greets", argsSchema: z.object({ who: z.string() }) },
    ({ who }) => ({
      messages: [{ role: "user", content: text(`Greet ${who}.`) }],
    }),
  );
  return server;
});
