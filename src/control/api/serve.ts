// What every server of the table does with a request, whatever carried it: find the route, check the question, answer.

import { z } from "zod";
import { LegionError } from "../../base/errors.ts";
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
