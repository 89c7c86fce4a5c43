import { findSpec, namesOf, parametersOf, type Parameter } from "../../domain/action-spec.ts";
import { messageOf } from "../../base/errors.ts";
import type { Call, DecisionEvent } from "../../domain/event/event.ts";
import type { Action } from "../../domain/authoring/module.ts";
import { parseJson } from "../../model/protocol/native-calls.ts";
import { MULTILINE_DELIMITER, mistakeIn } from "../../model/protocol/text-syntax.ts";
import type { SoundCall } from "../parts/agent.ts";
import type { ActionIndex } from "../parts/module-set.ts";
import { didYouMean, enumerate, quote } from "../../base/text/wording.ts";
import type { ActionSpec } from "../../domain/authoring/host.ts";

type Parameters = Readonly<Record<string, unknown>>;

/** `refused` says why, to the model. */
export type Checked =
  | { readonly kind: "ready"; readonly ready: SoundCall }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * May this call be made as it is written? Pure.
 *
 * @param index what the agent can do
 * @param decision the one that it is part of
 */
export function checkCall(
  call: Call,
  { actions, specs }: Pick<ActionIndex, "actions" | "specs">,
  decision?: Pick<DecisionEvent, "stop">,
): Checked {
  const known = actions.get(findSpec(call.action, specs)?.name ?? "");
  if (!known) return { kind: "refused", reason: unknownAction(call.action, specs) };
  const { action, spec, module } = known;
  const given = call.parameters ?? {};
  const isHalf = decision?.stop === "length" && typeof given === "string";
  if (isHalf) return refuse(spec, [cutOff(spec.name, given)]);
  if (!isObject(given)) return refuse(spec, [noObject(spec.name, given)]);

  const declared = parametersOf(spec);
  const parameters = toParameters(given, declared);
  const issues = issuesOf(action, parameters);
  const ready = { call, name: spec.name, action, module, parameters };
  if (issues.length === 0) return { kind: "ready", ready };
  return refuse(spec, describe(issues, parameters, declared));
}

function refuse({ usage }: ActionSpec, problems: readonly string[]): Checked {
  return { kind: "refused", reason: `${problems.join("\n")}\n\n${usage}` };
}

function unknownAction(name: string, specs: readonly ActionSpec[]): string {
  const hint = didYouMean(name, specs.flatMap(namesOf));
  if (hint !== "") return `Unknown action ${quote(name)}.${hint} Choose one from the list of your actions.`;
  return `Unknown action ${quote(name)}. These are your actions: ${specs.map((spec) => spec.name).join(", ")}.`;
}

function noObject(name: string, given: unknown): string {
  const problem = `The parameters of ${quote(name)} could not be read as a JSON object`;
  if (typeof given !== "string") return `${problem}: ${quote(JSON.stringify(given))}.`;
  const mistake = mistakeIn(given);
  if (mistake !== undefined)
    return `Your action ${quote(name)} could not be read: ${mistake}. ${HOW_TO_WRITE}`;
  return `${problem}: ${quote(given)}. If your response was cut off, write less at once.`;
}

function cutOff(name: string, given: string): string {
  const written = given === "" ? "" : ` What there is of its parameters: ${quote(given)}.`;
  return `Your response was cut off in the middle of ${quote(name)}, so that was not called.${written} ${WRITE_LESS}`;
}

const WRITE_LESS = "Write less at once, and divide what is long over several calls.";

const HOW_TO_WRITE =
  "Write one action and nothing else, and put a value of more than one line between two delimiters " +
  `(\`${MULTILINE_DELIMITER}\`), the second one on a line of its own.`;

function isObject(value: unknown): value is Parameters {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What was given, in the types that were asked for, without what stands for leaving a parameter out. */
function toParameters(given: Parameters, declared: readonly Parameter[]): Parameters {
  const byName = new Map(declared.map((parameter) => [parameter.name, parameter]));
  const kept = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    const parameter = byName.get(name);
    if (!parameter) return name === "thoughts" ? [] : [[name, value]];
    const coerced = coerce(value, parameter.types);
    return isLeftOut(coerced, parameter) ? [] : [[name, coerced]];
  });
  // Defines properties instead of setting them: a parameter named `__proto__` is a parameter like every other.
  return Object.fromEntries(kept);
}

function isLeftOut(value: unknown, { required, types }: Parameter): boolean {
  if (required || types.length === 0) return false;
  return (value === null && !types.includes("null")) || (value === "" && !types.includes("string"));
}

/** Text has no types and models mix them up: takes `value` for what is wanted where only one reading is left. */
function coerce(value: unknown, wanted: readonly string[]): unknown {
  if (wanted.length === 0) return value;
  const wantsText = wanted.includes("string");
  if (typeof value === "string") return wantsText ? value : fromText(value.trim(), wanted);
  if (typeof value === "number" && wantsText && !wanted.some(isNumeric)) return String(value);
  if (typeof value === "boolean" && wantsText && !wanted.includes("boolean")) return String(value);
  return value;
}

function fromText(text: string, wanted: readonly string[]): unknown {
  const lower = text.toLowerCase();
  if (wanted.includes("boolean") && (lower === "true" || lower === "false")) return lower === "true";
  if (wanted.includes("null") && lower === "null") return null;
  if (wanted.some(isNumeric) && text !== "" && Number.isFinite(Number(text))) return Number(text);
  const json = parseJson(text)?.value;
  const isWanted = Array.isArray(json)
    ? wanted.includes("array")
    : isObject(json) && wanted.includes("object");
  return isWanted ? json : text;
}

function isNumeric(type: string): boolean {
  return type === "number" || type === "integer";
}

/** One thing that is wrong with the parameters; without a name it concerns them as a whole. */
interface ParameterIssue {
  readonly name: string | undefined;
  /** Where within the parameter, such as `.files.0`. */
  readonly within: string;
  readonly message: string;
  readonly unexpected: readonly string[];
}

function issuesOf(action: Action, parameters: Parameters): readonly ParameterIssue[] {
  try {
    const result = action.parameters.safeParse(parameters);
    return (result.error?.issues ?? []).map((issue) => ({
      name: issue.path[0] === undefined ? undefined : String(issue.path[0]),
      within: issue.path
        .slice(1)
        .map((key) => `.${String(key)}`)
        .join(""),
      // What was received is shown as it was given instead: to text, every value is a string.
      message: issue.message.replace(/^Invalid input: /, "").replace(/, received \w+$/, ""),
      unexpected: issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys : [],
    }));
  } catch (error) {
    // A refinement in the module's schema threw. It is the call that must not be made, not the agent that must end.
    return [{ name: undefined, within: "", message: messageOf(error), unexpected: [] }];
  }
}

// Enough to put right at once; more is a flood.
const MAX_DESCRIBED = 10;

function describe(
  issues: readonly ParameterIssue[],
  parameters: Parameters,
  declared: readonly Parameter[],
): readonly string[] {
  const isMissing = ({ name }: ParameterIssue) => name !== undefined && !Object.hasOwn(parameters, name);
  const missing = [...new Set(issues.filter(isMissing).map(({ name }) => name!))];
  const known = declared.map(({ name }) => name);
  const unexpected = issues.flatMap((issue) => issue.unexpected);
  const wrong = issues.filter((issue) => !isMissing(issue) && issue.unexpected.length === 0);
  return [
    ...(missing.length > 0 ? [describeMissing(missing)] : []),
    ...unexpected
      .slice(0, MAX_DESCRIBED)
      .map((name) => `Unexpected parameter: ${quote(name)}.${didYouMean(name, known)}`),
    ...wrong.slice(0, MAX_DESCRIBED).map((issue) => describeWrong(issue, parameters, declared)),
  ];
}

function describeMissing(names: readonly string[]): string {
  return `Missing required ${names.length === 1 ? "parameter" : "parameters"}: ${enumerate(names)}.`;
}

function describeWrong(
  issue: ParameterIssue,
  parameters: Parameters,
  declared: readonly Parameter[],
): string {
  if (issue.name === undefined) return `Wrong parameters: ${issue.message}.`;
  const types = declared.find(({ name }) => name === issue.name)?.types ?? [];
  // All that zod says of a value that fits none of several alternatives.
  const message = issue.message === "Invalid input" ? `expected ${types.join(" or ")}` : issue.message;
  const given = JSON.stringify(parameters[issue.name]);
  return `Wrong parameter ${quote(issue.name + issue.within)} (given: ${quote(given)}): ${message}.`;
}
