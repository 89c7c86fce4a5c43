// What every server of the table does with a request, whatever carried it: find the route, check the question, answer. And
// how it describes the table.

import { z } from "zod";
import { LegionError } from "../../base/errors.ts";
import { packageVersion } from "../../base/package.ts";
import { READINGS, READING_NAMES, type ReadingName, type ReadingRoute } from "./readings.ts";
import { refusalSchema } from "./refusal.ts";
import {
  ROUTES,
  ROUTE_NAMES,
  type AnswerOf,
  type NodeApi,
  type QuestionOf,
  type RouteName,
} from "./routes.ts";

export interface ControlServer {
  /** Hears no more; resolves once what was heard is answered. */
  close(): Promise<void>;
}

export function routeAt(path: string): RouteName | undefined {
  return ROUTE_NAMES.find((name) => ROUTES[name].path === path);
}

/**
 * Nothing about `body` needs to be checked before. Rejects with USAGE for what makes no sense, naming the field that is
 * wrong, with LOCKED if the agent does not run here and nothing was done.
 */
export async function answerOf<K extends RouteName>(
  node: NodeApi,
  name: K,
  body: unknown,
): Promise<AnswerOf<K>> {
  return node[name](readQuestion(name, body));
}

function readQuestion<K extends RouteName>(name: K, body: unknown): QuestionOf<K> {
  return checked(ROUTES[name].question, body) as QuestionOf<K>;
}

/** What `question` makes of `body`. Throws USAGE, naming the field that is wrong. */
export function checked(question: z.ZodType, body: unknown): unknown {
  const read = question.safeParse(body);
  if (read.success) return read.data;
  const { issues } = read.error;
  const unknown = issues.find((issue) => issue.code === "unrecognized_keys");
  if (unknown) throw new LegionError("USAGE", `${JSON.stringify(unknown.keys[0])}: no such field`);
  const field = issues[0]?.path[0];
  if (typeof field !== "string") throw new LegionError("USAGE", "expected an object");
  const { description } = Object(z.toJSONSchema(question, { io: "input" }).properties?.[field]);
  throw new LegionError("USAGE", `${field}: expected ${description}`);
}

/** The table of routes as an OpenAPI document, for programs that are not ours. `base`: what stands before every path. */
export function describeRoutes(base: string): object {
  return {
    openapi: "3.1.0",
    info: { title: "AI Legion", version: packageVersion() },
    servers: [{ url: base }],
    paths: Object.fromEntries([
      ...ROUTE_NAMES.map((name) => [ROUTES[name].path, operation(name)]),
      ...READING_NAMES.map((name) => [READINGS[name].path, readingOperation(name)]),
    ]) as object,
  };
}

function operation(name: RouteName): object {
  const { method, summary, question, answer } = ROUTES[name];
  const requestBody = { required: true, ...json(z.toJSONSchema(question, { io: "input" })) };
  return {
    [method]: {
      operationId: name,
      summary,
      ...(method === "post" && { requestBody }),
      responses: {
        200: { description: "What came of it.", ...json(z.toJSONSchema(answer)) },
        default: { description: "Why not.", ...json(z.toJSONSchema(refusalSchema)) },
      },
    },
  };
}

function readingOperation(name: ReadingName): object {
  const route: ReadingRoute = READINGS[name];
  const { properties = {}, required = [] } = z.toJSONSchema(route.question, { io: "input" });
  const parameters = Object.entries(properties).map(([field, schema]) => {
    const { description, ...type } = Object(schema);
    const place = route.path.includes(`{${field}}`) ? "path" : "query";
    return { name: field, in: place, required: required.includes(field), description, schema: type };
  });
  const answer = z.toJSONSchema(route.answer);
  const told = route.streams
    ? { description: "Server-sent events, each of which is, as JSON, what this schema says.", ...sse(answer) }
    : { description: "What there is.", ...json(answer) };
  const refusal = { description: "Why not.", ...json(z.toJSONSchema(refusalSchema)) };
  return {
    get: {
      operationId: `read_${name}`,
      summary: route.summary,
      parameters,
      responses: { 200: told, default: refusal },
    },
  };
}

function sse(schema: object): object {
  return { content: { "text/event-stream": { schema } } };
}

function json(schema: object): object {
  return { content: { "application/json": { schema } } };
}
