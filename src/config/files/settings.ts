// What people may write in more than one place: in config.yaml, in the front matter of an agent, in a team.

import { isMemoryId, USUAL_MEMORY } from "../../domain/memory/memory-id.ts";
import { z } from "zod";
import { STRATEGY_NAMES, type MemorySettings } from "../../domain/memory-settings.ts";
import { parseDuration } from "../../base/text/duration.ts";
import { messageOf } from "../../base/errors.ts";
import {
  mergeLimits,
  parseLimit,
  resolveLimits,
  scopeLimits,
  type LegionLimits,
  type LimitName,
  type LimitsChoice,
  type PurseLimits,
} from "../../domain/limits.ts";
import { parseProfile } from "../../domain/policy/policy.ts";
import { checkRule } from "../../domain/policy/rule.ts";
import { nearest } from "../../base/text/nearest.ts";
import { ENVIRONMENT_KINDS } from "../../environment/environment.ts";
import { checkHost } from "../../environment/network/proxy/hosts.ts";
import {
  CONTAINER_KINDS,
  isImage,
  isInterpreter,
  isPlaceInside,
  variableFlaw,
  type EnvironmentChoice,
} from "../../environment/settings.ts";

/** What somebody said about memory; an absent member is left to whoever spoke before. */
export interface MemoryChoice extends Partial<MemorySettings> {
  /** Absent: as suits the protocol. */
  readonly forgetErrors?: boolean;
}

export const DEFAULT_MEMORY: MemorySettings = { strategy: "legion", threshold: 0.75, pin: "newest" };

/** A map with exactly these keys. What is wrong with it is said in the words of the one who wrote it. */
export function section<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.input === undefined) return undefined;
      if (issue.code !== "unrecognized_keys") return `expected a map with the keys ${known.join(", ")}`;
      const [key = ""] = issue.keys as readonly string[];
      const [meant] = nearest(key, known);
      const advice = meant ? `did you mean "${meant}"?` : `known keys: ${known.join(", ")}`;
      return `unknown key "${key}"; ${advice}`;
    },
  });
}

/** What `parse` makes of a text or a number; what it throws is the issue. */
export function parsed<T>(parse: (value: string | number) => T) {
  return z
    .union([z.string(), z.number()], { error: "expected a text or a number" })
    .transform((value, context) => {
      try {
        return parse(value);
      } catch (error) {
        context.addIssue({ code: "custom", message: messageOf(error) });
        return z.NEVER;
      }
    });
}

/** Milliseconds. */
export const duration = parsed(parseDuration);

export const name = z
  .string("expected a name")
  .trim()
  .regex(/^\P{Cc}+$/u, "expected a name")
  .max(200, "expected at most 200 characters");

/** A text that is shown on one line. */
export const line = z
  .string("expected a text")
  .max(1_000, "expected at most 1000 characters")
  .transform((text) => text.replace(/\s+/g, " ").trim());

export const onOff = z
  .union([z.boolean(), z.literal(["on", "off"])], { error: "expected on or off" })
  .transform((value) => value === true || value === "on");

export const moduleNames = z
  .array(name, { error: "expected a list of modules such as [core, notes, ./my-module.js]" })
  .max(64, "expected at most 64 modules");

export const serverNames = z.union([z.literal("all"), z.array(name).max(1_000)], {
  error: "expected all, or a list of MCP servers such as [files, tickets]",
});

export const skillNames = z.union([z.literal("all"), z.array(name).max(1_000)], {
  error: "expected all, or a list of skills such as [pdf, release-notes]",
});

const MEMORY_IDS = `expected a list of memories such as [${USUAL_MEMORY}]`;
export const memoryIds = z
  .array(z.string().refine(isMemoryId, MEMORY_IDS), MEMORY_IDS)
  .min(1, MEMORY_IDS)
  .max(20, "expected at most 20 memories");

export const actionNames = z
  .array(name, { error: "expected a list of actions such as [readFile, executeCommand]" })
  .min(1, "expected at least one action; leave it out to have all of its modules")
  .max(1_000, "expected at most 1000 actions");

const THRESHOLD = "expected a share of the model's window up to 1, such as 0.75, or tokens from 1000 up";
export const memory = section({
  strategy: z.enum(STRATEGY_NAMES, "expected legion, rounds or recent").optional(),
  threshold: z
    .number({ error: THRESHOLD })
    .refine((share) => (share > 0 && share <= 1) || share >= 1_000, THRESHOLD)
    .optional(),
  pin: z.enum(["newest", "top"], { error: "expected newest or top" }).optional(),
  forgetErrors: onOff.optional(),
});

const limit = (limitName: LimitName) => parsed((value) => parseLimit(limitName, value)).optional();
/** What can be reserved before it is spent. */
const purseShape = { steps: limit("steps"), tokens: limit("tokens"), cost: limit("cost") };
const legionShape = { ...purseShape, time: limit("time") };
/** Only an agent has turns. */
const agentShape = { ...legionShape, turns: limit("turns") };

function toChoice({ time, ...rest }: { [Name in LimitName]?: LimitsChoice["steps"] }): LimitsChoice {
  return { ...rest, timeMs: time };
}

/** The limits of one agent: a map, or `none`. */
export const limits = z.preprocess(noneOf(agentShape), section(agentShape).transform(toChoice));
const limitsOfAll = z.preprocess(noneOf(legionShape), section(legionShape).transform(toChoice));

function noneOf(shape: object) {
  return (value: unknown): unknown =>
    value === "none" ? Object.fromEntries(Object.keys(shape).map((name) => [name, value])) : value;
}

const limitsOfPeriod = z.preprocess(
  noneOf(purseShape),
  section(purseShape).transform((choice) => resolveLimits(choice)),
);

const ofEverybody = (value: unknown): unknown => (value === "none" ? { agent: value, legion: value } : value);
const scopes = { ...agentShape, agent: limits.optional(), legion: limitsOfAll.optional() };

/** The limits of everybody: flat as in `scopeLimits`, under `agent` and `legion`, or `none` for no limit at all. */
export const legionLimits = z.preprocess(ofEverybody, section(scopes).transform(toScopes));

/** The same with what a person may say alone, of all their projects together: under `day` and `month`. */
export const personLimits = z.preprocess(
  ofEverybody,
  section({ ...scopes, day: limitsOfPeriod.optional(), month: limitsOfPeriod.optional() }).transform(
    ({ day, month, ...rest }): LegionLimits & PurseLimits => ({ ...toScopes(rest), day, month }),
  ),
);

function toScopes({ agent = {}, legion = {}, ...flat }: z.output<z.ZodObject<typeof scopes>>): LegionLimits {
  const scoped = scopeLimits(toChoice(flat));
  return { agent: mergeLimits(scoped.agent, agent), legion: mergeLimits(scoped.legion, legion) };
}

const rules = z
  .array(
    parsed((text) => checkRule(String(text))),
    "expected a list of rules such as [run npm test, write docs/**]",
  )
  .max(1_000, "expected at most 1000 rules");

/** What agents may do without asking. */
export const policy = section({
  profile: parsed((text) => parseProfile(String(text))).optional(),
  deny: rules.optional(),
  ask: rules.optional(),
  allow: rules.optional(),
});
const KINDS = `expected ${ENVIRONMENT_KINDS.slice(0, -1).join(", ")} or ${ENVIRONMENT_KINDS.at(-1)}`;
const NETWORK = "expected off, on, or a list of hosts such as [registry.npmjs.org, example.com:8443]";
const READ = "expected absolute paths, or some that begin with ~/, such as [~/go/pkg]";
const PASS = "expected names of variables such as [JAVA_HOME]";
const SET = "expected a map of variables such as { CI: 'true' }";
const INTERPRETER = "expected bash or sh with its options, such as [bash, -lc]";
const IMAGE = "expected the name of an image such as node:22";
const AT = "expected an absolute path such as /testbed";
const CONTAINER = `only for ${CONTAINER_KINDS.join(" and ")}: name one of them as kind`;
const host = parsed((value) => checkHost(String(value).trim()));

/** What a program reaches. */
export const reach = z.union(
  [onOff.transform((isOn): "on" | "off" => (isOn ? "on" : "off")), z.array(host)],
  NETWORK,
);

const variables = z.record(z.string(), z.unknown(), SET).transform((given, context) => {
  const pairs = Object.entries(given).map(([variable, value]) => {
    const flaw = variableFlaw(variable, value);
    if (flaw !== undefined) context.addIssue({ code: "custom", path: [variable], message: flaw });
    return [variable, String(value)] as const;
  });
  return Object.fromEntries(pairs);
});

/** Where commands run: a kind, or all about it. */
export const environment = z.preprocess(
  (value) => (typeof value === "string" ? { kind: value } : value),
  section({
    kind: z.enum(ENVIRONMENT_KINDS, KINDS).optional(),
    network: reach.optional(),
    read: z.array(z.string(READ).regex(/^(?:~\/|\/)[^\0]*$/, READ), READ).optional(),
    pass: z.array(z.string(PASS).regex(/^[A-Za-z_]\w*$/, PASS), PASS).optional(),
    set: variables.optional(),
    interpreter: z.array(z.string(INTERPRETER), INTERPRETER).refine(isInterpreter, INTERPRETER).optional(),
    image: name.refine(isImage, IMAGE).optional(),
    args: z.array(z.string(), "expected a list of arguments").optional(),
    at: z.string(AT).refine(isPlaceInside, AT).optional(),
  })
    .refine(({ image, kind }) => image === undefined || isContainer(kind), {
      path: ["image"],
      error: CONTAINER,
    })
    .refine(({ args, kind }) => args === undefined || isContainer(kind), { path: ["args"], error: CONTAINER })
    .refine(({ at, kind }) => at === undefined || isContainer(kind), { path: ["at"], error: CONTAINER })
    .transform((choice): EnvironmentChoice => choice),
);

/** The same in one word, as it is typed. */
export const environmentKind = z
  .enum(ENVIRONMENT_KINDS, KINDS)
  .transform((kind): EnvironmentChoice => ({ kind }));

function isContainer(kind: EnvironmentChoice["kind"]): boolean {
  return CONTAINER_KINDS.some((container) => container === kind);
}
