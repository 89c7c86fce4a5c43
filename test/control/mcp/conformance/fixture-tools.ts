// The tools that the conformance suite calls, as it wants them.

import { setTimeout as delay } from "node:timers/promises";
import {
  fromJsonSchema,
  inputRequired,
  type CallToolResult,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";

/** One red pixel. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** Silence. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";
const PAUSE_MS = 50;

export const image = { type: "image", data: PNG, mimeType: "image/png" } as const;

export function text(said: string) {
  return { type: "text", text: said } as const;
}

export function resource(uri: string, mimeType: string, content: string) {
  return { type: "resource", resource: { uri, mimeType, text: content } } as const;
}

type Content = CallToolResult["content"];

const ANSWERS: Readonly<Record<string, Content>> = {
  test_simple_text: [text("This is a simple text response for testing.")],
  test_image_content: [image],
  test_audio_content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
  test_embedded_resource: [
    resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
  ],
  test_multiple_content_types: [
    text("Multiple content types test:"),
    image,
    resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
  ],
};

export function registerTools(server: McpServer): void {
  for (const [name, content] of Object.entries(ANSWERS))
    server.registerTool(name, { description: `Answers ${name}.` }, () => ({ content }));
  server.registerTool("test_error_handling", { description: "Fails." }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  server.registerTool("test_tool_with_logging", { description: "Logs." }, async ({ mcpReq }) => {
    for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await mcpReq.log("info", line);
      await delay(PAUSE_MS);
    }
    return { content: [text("logged")] };
  });
  server.registerTool("test_logging_tool", { description: "Logs once." }, async ({ mcpReq }) => {
    await mcpReq.log("info", "Here it is");
    return { content: [text("logged")] };
  });
  server.registerTool("test_tool_with_progress", { description: "Tells how far it is." }, async (context) => {
    for (const progress of [0, 50, 100]) await tell(progress, context);
    return { content: [text("done")] };
  });
  server.registerTool(
    "json_schema_2020_12_tool",
    { description: "Tool with JSON Schema 2020-12 features", inputSchema: fromJsonSchema(SCHEMA) },
    () => ({ content: [text("fine")] }),
  );
  // Two that ask the program, to see what becomes of those that cannot be asked.
  server.registerTool("test_missing_capability", { description: "Needs a model of the program." }, () =>
    inputRequired({ inputRequests: { word: inputRequired.createMessage(SAMPLING) } }),
  );
  server.registerTool("test_streaming_elicitation", { description: "Asks." }, async (context) => {
    await tell(0, context);
    return inputRequired({ inputRequests: { name: inputRequired.elicit(ELICITATION) } });
  });
  server.registerTool(
    "test_custom_headers",
    {
      description: "Has a parameter that is a header, too.",
      inputSchema: z.object({
        region: z.string().optional().meta({ "x-mcp-header": "Region" }),
      }),
    },
    () => ({ content: [text("fine")] }),
  );
}

async function tell(progress: number, { mcpReq }: ServerContext): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, progress, total: 100, message: `${progress} of 100` };
  await mcpReq.notify({ method: "notifications/progress", params });
  await delay(PAUSE_MS);
}

const SAMPLING = { messages: [{ role: "user" as const, content: text("A word?") }], maxTokens: 10 };
const ELICITATION = {
  message: "Who are you?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
} as const;

const SCHEMA = JSON.parse(`{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
    }
  },
  "properties": {
    "name": { "type": "string" },
    "address": { "$ref": "#/$defs/address" },
    "contactMethod": { "type": "string", "enum": ["phone", "email"] },
    "phone": { "type": "string" },
    "email": { "type": "string" }
  },
  "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
  "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
  "then": { "required": ["phone"] },
  "else": { "required": ["email"] },
  "additionalProperties": false
}`) as Parameters<typeof fromJsonSchema>[0];
