// What the conformance suite finds behind our door in place of a legion.

import { McpServer, ResourceTemplate, completable } from "@modelcontextprotocol/server";
import { z } from "zod";
import { image, PNG, registerTools, resource, text } from "./fixture-tools.ts";

export function createFixtureServer(): McpServer {
  const server = new McpServer(
    { name: "fixture", version: "1" },
    {
      capabilities: { logging: {}, completions: {}, tools: {}, resources: { subscribe: true }, prompts: {} },
    },
  );
  registerTools(server);
  registerResources(server);
  registerPrompts(server);
  return server;
}

function registerResources(server: McpServer): void {
  const staticText = { uri: "test://static-text", mimeType: "text/plain" };
  server.registerResource(
    "static-text",
    staticText.uri,
    { description: "A text", mimeType: "text/plain" },
    () => ({ contents: [{ ...staticText, text: "This is the content of the static text resource." }] }),
  );
  const staticBinary = { uri: "test://static-binary", mimeType: "image/png" };
  server.registerResource(
    "static-binary",
    staticBinary.uri,
    { description: "An image", mimeType: "image/png" },
    () => ({ contents: [{ ...staticBinary, blob: PNG }] }),
  );
  server.registerResource(
    "watched",
    "test://watched-resource",
    { description: "A text that may change", mimeType: "text/plain" },
    () => ({ contents: [{ uri: "test://watched-resource", mimeType: "text/plain", text: "as ever" }] }),
  );
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "Of an id", mimeType: "application/json" },
    ({ href }, { id }) => {
      const content = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` });
      return { contents: [{ uri: href, mimeType: "application/json", text: content }] };
    },
  );
}

function registerPrompts(server: McpServer): void {
  const user = <Content>(content: Content) => ({ role: "user", content }) as const;
  server.registerPrompt("test_simple_prompt", { description: "Simple" }, () => ({
    messages: [user(text("This is a simple prompt for testing."))],
  }));
  server.registerPrompt(
    "test_prompt_with_arguments",
    {
      description: "With arguments",
      argsSchema: z.object({
        arg1: completable(z.string().describe("First test argument"), (begun) =>
          ["paris", "park", "party"].filter((word) => word.startsWith(begun)),
        ),
        arg2: z.string().describe("Second test argument"),
      }),
    },
    ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "With a resource", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        user(resource(resourceUri, "text/plain", "Embedded resource content for testing.")),
        user(text("Please process the embedded resource above.")),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "With an image" }, () => ({
    messages: [user(image), user(text("Please analyze the image above."))],
  }));
}
