// Every answer that tests of the API get is held against what /v1/openapi.json says of it, and nothing else: programs of others have
// only that.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { expect } from "vitest";
import { describeRoutes } from "../../src/control/api/describe.ts";
import { ROUTES, type NodeApi } from "../../src/control/api/routes.ts";
import { refusalOf } from "../../src/control/api/refusal.ts";

/** What was answered, on whichever way it came. */
export interface Answered {
  readonly method: string;
  /** As it was asked for, with `/v1` and the query. */
  readonly path: string;
  readonly status: number;
  /** As it was sent: JSON of an answer, or of one item of a stream. */
  readonly text: string;
}

interface DescribedAnswer {
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
}

interface Operation {
  readonly responses: { readonly 200: DescribedAnswer; readonly default: DescribedAnswer };
}

const { paths } = JSON.parse(JSON.stringify(describeRoutes("/v1"))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
const known = new Map<object, ValidateFunction>();

/** The operation's own path; `undefined` for what is not described. */
export function pathOf({ method, path }: Pick<Answered, "method" | "path">): string | undefined {
  const asked = path.split("?")[0]!.replace(/^\/v1/, "").split("/");
  const fits = (template: string): boolean => {
    const parts = template.split("/");
    return (
      parts.length === asked.length && parts.every((part, at) => part.startsWith("{") || part === asked[at])
    );
  };
  return Object.keys(paths).find((template) => fits(template) && operationAt(template, method) !== undefined);
}

/** Whatever only looks may be posted, too. */
function operationAt(template: string, method: string): Operation | undefined {
  const { get, post } = paths[template]!;
  return method === "POST" ? (post ?? (template === ROUTES.status.path ? get : undefined)) : get;
}

/** Fails where the answer is not what is described. What there is no operation for is a refusal, as that of any other. */
export function expectDescribed(answered: Answered): void {
  const { method, path, status, text } = answered;
  const template = pathOf(answered) ?? ROUTES.status.path;
  const { responses } = operationAt(template, pathOf(answered) ? method : "GET")!;
  const [described] = Object.values(responses[status === 200 ? 200 : "default"].content);
  const { schema } = described!;
  const validate = known.get(schema) ?? ajv.compile(schema);
  known.set(schema, validate);
  expect(status === 200 || status >= 400, `${method} ${path}: ${status}`).toBe(true);
  expect([validate(JSON.parse(text)), validate.errors ?? []], `${method} ${path}: ${text}`).toEqual([
    true,
    [],
  ]);
}

/** The same service, whose answers and refusals are what is described. */
export function described(service: NodeApi): NodeApi {
  const all = Object.entries(service).map(([name, answer]) => {
    const { path, method } = ROUTES[name as keyof NodeApi];
    const check = (status: number, body: unknown): void =>
      expectDescribed({ method: method.toUpperCase(), path, status, text: JSON.stringify(body) });
    const checked = async (question: never): Promise<unknown> => {
      try {
        const given: unknown = await (answer as (question: never) => Promise<unknown>)(question);
        check(200, given);
        return given;
      } catch (error) {
        check(409, refusalOf(error));
        throw error;
      }
    };
    return [name, checked];
  });
  return Object.fromEntries(all) as NodeApi;
}
