// The public authoring surface: everything a module may import from the runtime, and everything it may ask of it.

import { z } from "zod";
import { nearest } from "../../base/text/nearest.ts";
import { sourcesOf } from "../message/taint.ts";
import type { Touching } from "../policy/touching.ts";
import type { Host } from "./host.ts";

/**
 * What repeating an action after a crash would do to the world outside the agent's own state and messages:
 * `none` nothing, `idempotent` nothing new, `once` something that must not happen twice. `reads`: it changes nothing at all,
 * no state either, and sends nothing, so that it may run side by side with others that only read.
 */
export type Effects = "reads" | "none" | "idempotent" | "once";

export interface ActionResult {
  readonly outcome: "ok" | "error" | "idle";
  /** Written for the model: what happened and what to do next. */
  readonly content: string;
  /** For people and programs; never reaches a model. */
  readonly details?: unknown;
  /** What it hands in as the end of the agent's task: then the agent rests. Only with the outcome `idle`. */
  readonly submission?: string;
  /** From where outside its text came: whatever the agent sends until it rests names that. */
  readonly taint?: readonly string[];
  /** Addresses that a service gave which a person chose: the agent may go there, whatever text from outside it has read. */
  readonly leads?: readonly string[];
  /** What it is, such as `skill pdf`: where a summary stands in place of it, its text stays beside that, the newest of each name. */
  readonly keeps?: string;
}

/** It worked. The changes and messages of the action are committed with this text. */
export function ok(content: string, details?: unknown): ActionResult {
  return { outcome: "ok", content, ...(details !== undefined && { details }) };
}

/** It did not work, and nothing of it is kept: say what was wrong and what would be right. */
export function fail(content: string, details?: unknown): ActionResult {
  return { outcome: "error", content, ...(details !== undefined && { details }) };
}

/** There is nothing to follow up: the agent waits for mail if this is all its decision asked for. */
export function idle(content = ""): ActionResult {
  return { outcome: "idle", content };
}

/**
 * Marks a result that holds text from outside, which nobody here vouches for. `source` says from where in a few words:
 * `https://example.com/page`, `file downloads/x.txt`, `search`.
 */
export function fromOutside(result: ActionResult, source = "unknown"): ActionResult {
  return { ...result, taint: sourcesOf(result.taint, source) };
}

/** A readable copy of a module's state on disk, which people may edit while the agent does not run. */
export type Projection =
  /** One JSON object with the module's keys. */
  | { readonly kind: "file"; readonly name: string }
  /** One plain text file per key; every value is a string. */
  | { readonly kind: "folder"; readonly name: string; readonly extension: string };

/** What a call touches, by which a policy judges it before it runs; `undeclared`: it may be anything. */
export type Touches<P> =
  "undeclared" | ((parameters: P, host: Host) => readonly Touching[] | Promise<readonly Touching[]>);

/** Of an object, in JSON Schema. */
export type ParametersSchema = Readonly<Record<string, unknown>> & { readonly type: "object" };

export interface Action {
  readonly description: string;
  /** Takes and gives an object. */
  readonly parameters: z.ZodType;
  /** What models are shown of the parameters; absent: what `parameters` says. */
  readonly schema?: ParametersSchema;
  readonly effects: Effects;
  /** `parameters` must have passed the schema. */
  readonly touches: Touches<unknown>;
  readonly aliases: readonly string[];
  /** `parameters` must have passed the schema. */
  execute(parameters: unknown, host: Host): Promise<ActionResult>;
}

/** What an action is beside its parameters, `P` once they are checked. */
interface ActionBody<P> {
  /** One sentence, an imperative: the model chooses by it. */
  readonly description: string;
  /** Default `once`: the safe answer for everything that reaches the outside. */
  readonly effects?: Effects;
  /** All that a call touches outside its agent. Without it each call counts as a command outside a sandbox: a person is asked. */
  readonly touches?: readonly Touching[] | Exclude<Touches<P>, "undeclared">;
  readonly aliases?: readonly string[];
  execute(parameters: P, host: Host): ActionResult | Promise<ActionResult>;
}

export interface ActionDefinition<Shape extends z.ZodRawShape> extends ActionBody<
  z.output<z.ZodObject<Shape>>
> {
  /** Zod schemas by name; `.describe()` each, `.optional()` where it may be left out. */
  readonly parameters?: Shape;
}

/** An action whose parameters were described elsewhere, such as a tool of another program. */
export interface DescribedAction extends ActionBody<Readonly<Record<string, unknown>>> {
  /** Shown to models as it is. What of it cannot be checked here is not: then any object is taken. */
  readonly parameters: ParametersSchema;
}

const ACTION_KEYS = ["description", "parameters", "effects", "touches", "aliases", "execute"];

/** Declares an action. What `execute` throws becomes an error result that the model reads. Throws at an unknown key. */
export function defineAction<Shape extends z.ZodRawShape = Record<never, never>>(
  definition: ActionDefinition<Shape>,
): Action;
export function defineAction(definition: DescribedAction): Action;
export function defineAction(definition: ActionDefinition<z.ZodRawShape> | DescribedAction): Action {
  refuseUnknownKeys("defineAction", definition, ACTION_KEYS);
  const { description, effects = "once", aliases = [] } = definition;
  const body: ActionBody<Readonly<Record<string, unknown>>> = definition;
  const { touches } = body;
  const { parameters, schema } = readParameters(definition.parameters ?? {});
  const checked = (given: unknown) => parameters.parse(given) as Readonly<Record<string, unknown>>;
  return {
    description,
    parameters,
    schema,
    effects,
    touches:
      typeof touches === "function"
        ? async (given, host) => touches(checked(given), host)
        : touches
          ? () => touches
          : "undeclared",
    aliases,
    execute: async (given, host) => body.execute(checked(given), host),
  };
}

function readParameters(given: z.ZodRawShape | ParametersSchema): Pick<Action, "parameters" | "schema"> {
  if (!isSchema(given)) return { parameters: z.strictObject(given) };
  return { parameters: zodOf(given), schema: given };
}

/** A shape may have a parameter of that name, too, whose schema is no text. */
function isSchema(given: z.ZodRawShape | ParametersSchema): given is ParametersSchema {
  return given["type"] === "object";
}

function zodOf(schema: ParametersSchema): z.ZodType {
  try {
    return z.fromJSONSchema(schema);
  } catch {
    return z.looseObject({});
  }
}

/**
 * What a module finds outside the legion, such as skills or the tools of servers. The agent's log keeps it, and everything that a
 * prompt shows of it is made of what is kept: it can be replayed where nothing of it is there any more.
 */
export interface Offers {
  /**
   * Looks. Resolves with JSON that says the same in the same order as long as nothing changed. Called before a decision, at most
   * every 30 s; where it rejects, what was known stays.
   */
  find(host: Host): Promise<unknown>;
  /** Actions beside the module's own. Pure: the same for the same offer. Those of a name that is taken are left out. */
  actions?(offer: unknown): Readonly<Record<string, Action>>;
}

/** What a prompt shows from outside the agent's log, under a key that stays the same. */
export interface Recollection {
  readonly key: string;
  /** Empty: nothing is shown any more. */
  readonly content: string;
  /** Where it stands there: a number of that log. */
  readonly from?: number;
  readonly taint?: readonly string[] | true;
}

/** What goes on beside the agent's log, and stands in the module's part of the prompt. */
export interface Recall {
  /**
   * Reads it: before the first prompt after a start, or after a summary, and never in between, so that the provider's cache of the
   * prompt holds. The agent's log keeps it, and `instructions` finds it in `host.offer`, by its keys. Where it rejects, what
   * was known stays.
   */
  read(host: Host): Promise<readonly Recollection[]>;
  /** May what was recalled still be shown? Asked before each prompt; where not, it is read anew. */
  stands(host: Host): Promise<boolean>;
}

export interface Module {
  /** Lower-case letters, digits and dashes; heads its parts of the prompt and names its config section. */
  readonly name: string;
  /** The stable part of the introduction: made anew only where what modules found outside has changed. */
  instructions?(host: Host): string | undefined;
  /**
   * The changing part of the introduction, asked for anew for every prompt, and twice where all parts together are too long:
   * keep it short, and within `maxPinnedTokens`.
   */
  pinnedMessage?(host: Host): string | undefined | Promise<string | undefined>;
  /** What the agent should work at now, if this module knows. */
  objective?(host: Host): string | undefined;
  readonly projection?: Projection;
  /**
   * Its actions work in the files of a workspace, or run commands there: in a legion on several machines an agent that
   * has them stays at its workspace. Absent: the agent can go on anywhere.
   */
  readonly place?: "workspace";
  readonly actions: Readonly<Record<string, Action>>;
  readonly offers?: Offers;
  readonly recall?: Recall;
}

const MODULE_KEYS = [
  "name",
  "instructions",
  "pinnedMessage",
  "objective",
  "projection",
  "place",
  "actions",
  "offers",
  "recall",
];

/** Declares a module. Throws if the name is malformed, and at an unknown key. */
export function defineModule(module: Module): Module {
  refuseUnknownKeys("defineModule", module, MODULE_KEYS);
  if (!/^[a-z][a-z0-9-]*$/.test(module.name)) {
    throw new Error(`"${module.name}" is no module name: use lower-case letters, digits and dashes.`);
  }
  return module;
}

/** What is misspelt would be ignored, and nobody would know why nothing happens. */
function refuseUnknownKeys(where: string, given: object, known: readonly string[]): void {
  const key = Object.keys(given).find((name) => !known.includes(name));
  if (key === undefined) return;
  const [meant] = nearest(key, known);
  const advice = meant === undefined ? `known keys: ${known.join(", ")}` : `did you mean "${meant}"?`;
  throw new Error(`${where}: unknown key "${key}"; ${advice}`);
}
