import { LegionError, messageOf } from "../base/errors.ts";
import type { Action } from "./authoring/module.ts";
import type { ActionSpec } from "./authoring/host.ts";

/** One parameter of an action, as JSON Schema tells it. */
export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly description: string | undefined;
  /** The JSON types that it takes, such as `string` or `integer`; empty: any. */
  readonly types: readonly string[];
  /** The only values that it takes; empty: no such list. */
  readonly options: readonly unknown[];
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

// Every agent of a legion has the same Action objects: one spec serves them all.
const specs = new WeakMap<Action, ActionSpec>();

/** How `action` is shown under `name`. Throws CONFIG if a parameter has no JSON form (a date, a function). */
export function toActionSpec(name: string, action: Action): ActionSpec {
  const known = specs.get(action);
  if (known?.name === name) return known;
  const { description, aliases } = action;
  const parameters = toJsonSchema(name, action);
  const spec = { name, description, aliases, parameters, usage: usageOf(name, parametersOf({ parameters })) };
  specs.set(action, spec);
  return spec;
}

function toJsonSchema(name: string, action: Action): Readonly<Record<string, unknown>> {
  if (action.schema) return action.schema;
  try {
    const { $schema: _, ...schema } = action.parameters.toJSONSchema({
      io: "input",
      // zod bounds every integer by what a double can hold: true, but tokens without use to a model.
      override: ({ jsonSchema }) => {
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      },
    });
    // What is needed so rarely that the action itself tells of it then.
    for (const [parameter, described] of Object.entries(schema.properties ?? {}))
      if ((described as { readonly told?: unknown }).told === "when needed")
        delete schema.properties![parameter];
    return schema;
  } catch (error) {
    throw new LegionError("CONFIG", `Action ${name} cannot be shown to a model: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

/** The parameters of an action, in the order in which its author wrote them. */
export function parametersOf(spec: Pick<ActionSpec, "parameters">): readonly Parameter[] {
  const { properties = {}, required = [] } = spec.parameters as ObjectSchema;
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    required: required.includes(name),
    description: schema.description,
    types: typesOf(schema),
    options: schema.const === undefined ? (schema.enum ?? []) : [schema.const],
  }));
}

function typesOf(schema: Schema): readonly string[] {
  const own = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map(typesOf);
  // An alternative that takes anything makes the whole take anything.
  return alternatives.some((types) => types.length === 0)
    ? []
    : [...new Set([...own, ...alternatives.flat()])];
}

/**
 * The action that is called `name`: by its name, by an alias, or by the only name that differs in case alone. `all` is read
 * once, however often it is looked up in.
 */
export function findSpec(name: string, all: readonly ActionSpec[]): ActionSpec | undefined {
  const directory = directories.get(all) ?? listNames(all);
  return directory.exact.get(name) ?? directory.similar.get(name.toLowerCase());
}

/** Is an action, or are several, called `name`, however it is written? Reads `all` as `findSpec` does. */
export function isNamed(name: string, all: readonly ActionSpec[]): boolean {
  return (directories.get(all) ?? listNames(all)).similar.has(name.toLowerCase());
}

/** Who is called what; of names in lower case only those that one action alone has. */
interface Directory {
  readonly exact: ReadonlyMap<string, ActionSpec>;
  readonly similar: ReadonlyMap<string, ActionSpec | undefined>;
}

const directories = new WeakMap<readonly ActionSpec[], Directory>();

function listNames(all: readonly ActionSpec[]): Directory {
  const exact = new Map(all.map((spec) => [spec.name, spec]));
  const similar = new Map<string, ActionSpec | undefined>();
  for (const spec of all)
    for (const name of namesOf(spec)) {
      const lower = name.toLowerCase();
      if (!exact.has(name)) exact.set(name, spec);
      similar.set(lower, similar.has(lower) && similar.get(lower) !== spec ? undefined : spec);
    }
  const directory = { exact, similar };
  directories.set(all, directory);
  return directory;
}

/** The name first, then the aliases. */
export function namesOf(spec: ActionSpec): readonly string[] {
  return [spec.name, ...spec.aliases];
}

function usageOf(name: string, parameters: readonly Parameter[]): string {
  const lines = parameters.map(
    (parameter) => `${parameter.name}: <${meaningOf(parameter)}>${parameter.required ? "" : " (optional)"}`,
  );
  return ["Usage:", "```", name, "thoughts: <reasoning behind this action> (optional)", ...lines, "```"].join(
    "\n",
  );
}

function meaningOf({ description, types, options }: Parameter): string {
  const meaning = description
    ? lowerFirst(description).replace(/\s+/g, " ")
    : types.join(" or ") || "any value";
  if (options.length > 0) return `${meaning}: one of ${options.join(", ")}`;
  const isPlain = !types.includes("array") && !types.includes("object");
  return isPlain ? meaning : `${meaning}, as JSON`;
}

/** `URL of the page` keeps its capitals. */
function lowerFirst(text: string): string {
  return /^\p{Lu}(?!\p{Lu})/u.test(text) ? text[0]!.toLowerCase() + text.slice(1) : text;
}
