// Both tables as an OpenAPI document, for programs that are not ours.

import { z } from "zod";
import { packageVersion } from "../../base/package.ts";
import { READINGS, READING_NAMES, type ReadingName, type ReadingRoute } from "./readings.ts";
import { refusalSchema } from "./refusal.ts";
import { ROUTES, ROUTE_NAMES, type RouteName } from "./routes.ts";

/** `base`: what stands before every path. */
export function describeRoutes(base: string): object {
  return {
    openapi: "3.1.0",
    info: { title: "AI Legion", version: packageVersion() },
    servers: [{ url: base }],
    // The control socket asks for none: only its user may open it.
    security: [{ token: [] }, {}],
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "That of the address that the page has." },
      },
    },
    paths: Object.fromEntries([
      ...ROUTE_NAMES.map((name) => [ROUTES[name].path, operation(name)]),
      ...READING_NAMES.map((name) => [READINGS[name].path, readingOperation(name)]),
    ]) as object,
  };
}

function operation(name: RouteName): object {
  const { method, summary, question, answer } = ROUTES[name];
  const requestBody = { required: true, ...json(schemaOf(question, "input")) };
  return {
    [method]: {
      operationId: name,
      summary,
      ...(method === "post" && { requestBody }),
      responses: {
        200: { description: "What came of it.", ...json(schemaOf(answer)) },
        default: { description: "Why not.", ...json(schemaOf(refusalSchema)) },
      },
    },
  };
}

function readingOperation(name: ReadingName): object {
  const route: ReadingRoute = READINGS[name];
  const { properties = {}, required = [] } = schemaOf(route.question, "input");
  const parameters = Object.entries(properties).map(([field, schema]) => {
    const { description, ...type } = Object(schema);
    const place = route.path.includes(`{${field}}`) ? "path" : "query";
    return { name: field, in: place, required: required.includes(field), description, schema: type };
  });
  const answer = schemaOf(route.answer);
  const told = route.streams
    ? { description: "Server-sent events, each of which is, as JSON, what this schema says.", ...sse(answer) }
    : { description: "What there is.", ...json(answer) };
  const refusal = { description: "Why not.", ...json(schemaOf(refusalSchema)) };
  return {
    get: {
      operationId: `read_${name}`,
      summary: route.summary,
      parameters,
      responses: { 200: told, default: refusal },
    },
  };
}

/** What no program of ours changes is not for that reason to be left out of a request, as `readOnly` would say there. */
function schemaOf(schema: z.ZodType, io: "input" | "output" = "output"): z.core.JSONSchema.JSONSchema {
  return z.toJSONSchema(schema, { io, override: ({ jsonSchema }) => void delete jsonSchema.readOnly });
}

function sse(schema: object): object {
  return { content: { "text/event-stream": { schema } } };
}

function json(schema: object): object {
  return { content: { "application/json": { schema } } };
}
