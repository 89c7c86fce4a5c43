// Both tables over HTTP, whatever carries that.

import type { Context, Hono } from "hono";
import { LegionError, isLegionError, messageOf, type ErrorCode } from "../../base/errors.ts";
import type { ReadingAnswers, LookedUp, ReadingName } from "./readings.ts";
import { READINGS, READING_NAMES } from "./readings.ts";
import { refusalOf } from "./refusal.ts";
import { ROUTES, ROUTE_NAMES, type NodeApi } from "./routes.ts";
import { answerOf, checked } from "./serve.ts";

/** Everything stands there. */
export const BASE = "/v1";

/** @param bases what stands before every path */
export function mountRoutes(app: Hono, service: NodeApi, bases: readonly string[]): void {
  for (const name of ROUTE_NAMES) {
    const { path, method } = ROUTES[name];
    const answer = async (c: Context, body?: unknown) => c.json(await answerOf(service, name, body));
    for (const base of bases) {
      app.post(base + path, async (c) => answer(c, await readBody(c)));
      if (method === "get") app.get(base + path, (c) => answer(c));
    }
  }
}

/** Answers a question about a stream, which was checked, with one. */
export type StreamAnswer = (name: ReadingName, question: object, c: Context) => Promise<Response>;

export function mountReadings(app: Hono, look: ReadingAnswers, stream: StreamAnswer): void {
  for (const name of READING_NAMES) {
    const route = READINGS[name];
    const { path, question } = route;
    app.get(BASE + path.replace(/\{(\w+)\}/g, ":$1"), async (c) => {
      const asked = checked(question, { ...c.req.query(), ...c.req.param() }) as object;
      if ("streams" in route) return stream(name, asked, c);
      return c.json(await look(name as LookedUp, asked as never, c.req.raw.signal));
    });
  }
}

/** `undefined` for a request that says nothing. */
async function readBody(c: Context): Promise<unknown> {
  const type = c.req.header("content-type");
  if (type === undefined) return undefined;
  if (!type.startsWith("application/json")) {
    throw new LegionError("USAGE", "expected content-type: application/json");
  }
  try {
    return await c.req.json();
  } catch (error) {
    throw new LegionError("USAGE", `not valid JSON: ${messageOf(error)}`, { cause: error });
  }
}

const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = { USAGE: 400, REFUSED: 409, LOCKED: 409 };

export function refuse(error: unknown): Response {
  const body = refusalOf(error);
  const status = isLegionError(error) ? (STATUS[body.error.code] ?? 500) : 500;
  return Response.json(body, { status });
}

export function refuseUnknown(c: Context): Response {
  return refuse(new LegionError("USAGE", `there is no ${c.req.method} ${c.req.path}`));
}
