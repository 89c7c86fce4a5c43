// The table of routes as an OpenAPI document, for programs that are not ours.

import { z } from "zod";
import { packageVersion } from "../../base/package.ts";
import { refusalSchema } from "./refusal.ts";
import { ROUTES, ROUTE_NAMES, type RouteName } from "./routes.ts";

/** `base`: what stands before every path. */
export function describeRoutes(base: string): object {
  return {
    openapi: "3.1.0",
    info: { title: "AI Legion", version: packageVersion() },
    servers: [{ url: base }],
    paths: Object.fromEntries(ROUTE_NAMES.map((name) => [ROUTES[name].path, operation(name)])),
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

function json(schema: object): object {
  return { content: { "application/json": { schema } } };
}
