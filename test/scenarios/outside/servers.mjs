// One of three MCP servers, which its argument names, as their authors would write them. It notes its start in the project.

import { appendFileSync, existsSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [which = ""] = process.argv.slice(2);
appendFileSync("starts", `${which}\n`);

const text = (words) => ({ content: [{ type: "text", text: words }] });
const tool = (server, [name, description, parameter], answer) =>
  server.registerTool(
    name,
    {
      description,
      inputSchema: z.object({ [parameter]: z.string().describe(`The ${parameter} that is meant`) }),
    },
    (given) => text(answer(given[parameter])),
  );

const SERVERS = {
  /** It ends in a storm. */
  weather(server) {
    tool(server, ["forecast", "Tomorrow in a city: temperature, wind, rain", "city"], (city) =>
      existsSync("storm") ? process.exit(7) : `${city}: rain.`,
    );
    tool(server, ["alerts", "Warnings that hold in a city", "city"], (city) => `${city}: none.`);
  },
  /** It has one more tool for who has logged in, or where everybody may. */
  desk(server) {
    const addClose = () => tool(server, ["close", "Close a ticket", "title"], (title) => `Closed: ${title}.`);
    tool(server, ["open", "Open a ticket", "title"], (title) => `Opened: ${title}.`);
    tool(server, ["log_in", "Log in", "user"], (user) => (addClose(), `Hello, ${user}.`));
    if (existsSync("unlocked")) addClose();
  },
  stock(server) {
    tool(
      server,
      ["count", "How many there are of a part, and where", "part"],
      (part) => `${part}: 12, shelf 4.`,
    );
    server.registerResource("plan", "stock://plan", { description: "Plan of the store" }, ({ href }) => ({
      contents: [{ uri: href, text: "Shelves 1 to 9 are in the hall." }],
    }));
  },
};

serveStdio(() => {
  const server = new McpServer({ name: which, version: "1" }, { capabilities: { tools: {}, resources: {} } });
  SERVERS[which](server);
  return server;
});
