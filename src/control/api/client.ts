// The client of a running node, made from the table of routes; what carries its questions, the caller says.

import { LegionError } from "../../base/errors.ts";
import { ROUTES, ROUTE_NAMES, type NodeApi } from "./routes.ts";

/** Puts a question to a node. Resolves with what it answers, as it is; rejects with its refusal. */
export type Ask = (path: string, question: object) => Promise<unknown>;

export function createClient(ask: Ask): NodeApi {
  const methods = ROUTE_NAMES.map((name) => {
    const { path, answer } = ROUTES[name];
    const method = async (question: object): Promise<object> => {
      const read = answer.safeParse(await ask(path, question));
      if (read.success) return read.data;
      const difference = "The node answers in another way than expected; is its version another one?";
      throw new LegionError("REFUSED", difference, { cause: read.error });
    };
    return [name, method] as const;
  });
  return Object.fromEntries(methods) as NodeApi;
}
