// What a program may say of its legion and of its agents, in the words of config.yaml, and what of it is wrong.

import { z } from "zod";
import { LegionError } from "../base/errors.ts";
import type { PolicyText } from "../domain/policy/policy.ts";
import type { Module } from "../domain/authoring/module.ts";
import type { Model } from "../domain/model.ts";
import {
  actionNames,
  environment,
  legionLimits,
  limits,
  memoryIds,
  name,
  policy,
  section,
} from "../config/files/settings.ts";
import { explainIssue } from "../config/files/yaml.ts";
import type { ProgramProviders } from "../config/files/provider-settings.ts";
import { checkModule } from "../config/module-loader.ts";
import type { EnvironmentChoice } from "../environment/settings.ts";
import { forkOrderSchema, type ForkOrder } from "../legion/fork.ts";

/**
 * What may be spent. `steps` are decisions, `turns` those on one instruction of a person, `tokens` those of prompts and answers, `cost` is US dollars, `time` working time in
 * milliseconds or as `"8h"`. An absent member is left to what holds without it; `"none"` lifts it.
 */
export interface LimitsOption {
  readonly steps?: number | "none";
  readonly turns?: number | "none";
  readonly tokens?: number | "none";
  readonly cost?: number | "none";
  readonly time?: number | string;
}

/**
 * One agent of a program.
 *
 * @example
 * await legion.spawn({ agent: "assistant", id: "helper", actions: ["readFile", "searchText"] });
 */
export interface SpawnOptions {
  /** The name of a definition in `agents/`, of the project or of this package, or the path of one. Default: the project's. */
  readonly agent?: string;
  /** Up to 64 of `a-z`, `0-9`, `.`, `_` and `-`. Default: 1, or the first number that no agent of this opening has. */
  readonly id?: string;
  /** `provider/id` as `legion models` lists them, or a model of your own. Default: that of `Legion.open`. */
  readonly model?: string | Model;
  /** What it is asked to be, in place of the definition's. */
  readonly brief?: string;
  /** In place of the definition's: names, paths such as `./weather.mjs` in the project, or what `defineModule` returned. */
  readonly modules?: readonly (string | Module)[];
  /** The only ones of its modules' actions that it has and is shown. Default: those that the definition leaves it. */
  readonly actions?: readonly string[];
  /** The long-term memories that it reaches, the one that it writes to first. Default: the definition's, or `main/legion`. */
  readonly memories?: readonly string[];
  /** Of this agent, in place of what `Legion.open` says of each. */
  readonly limits?: LimitsOption;
  /** Counts as your word: it may widen. */
  readonly policy?: PolicyText;
  /** Where its commands run. Default: as settled for the project, in a sandbox where one works. */
  readonly environment?: EnvironmentChoice["kind"] | EnvironmentChoice;
}

/**
 * What a legion is opened with; nothing of it is required.
 *
 * @example
 * Legion.open({ project: "./site", model: "anthropic/claude-sonnet-5-5", limits: { cost: 2 } });
 * Legion.open({ store: "memory", model: createScriptedModel(["Hello."]) });
 */
export interface OpenOptions {
  /** The folder that its agents work in, and that it is kept in. Default: the current one. */
  readonly project?: string;
  /** `"memory"`: nothing is kept and no command reaches it. Default: in `.ai-legion/` of the project, or where that says. */
  readonly store?: "memory";
  /**
   * A legion of its own in the same project, kept under this name, which `legion runs` lists: opened, or made. `"new"` gives it a
   * name, `"newest"` goes on with the one that something happened in last. Default: the project's own legion.
   */
  readonly session?: string;
  /** As `--model`: for every agent that is not spawned with another one. Default: as `legion start` chooses. */
  readonly model?: string | Model;
  /**
   * How providers are reached: `{ anthropic: { apiKey, baseUrl, headers, timeout, maxOutput } }`. Default: as the environment and
   * the settings say.
   */
  readonly providers?: ProgramProviders;
  /** Agents to begin with, as for `spawn`. */
  readonly agents?: readonly (string | SpawnOptions)[];
  /** As `--limits`: steps are those of each agent, the rest is for all of them together. */
  readonly limits?: LimitsOption;
  /** As `--policy`, for every agent. Counts as your word: it may widen. */
  readonly policy?: PolicyText;
  /**
   * What becomes of a call that a person has to be asked about: `"deny"` refuses it and tells the agent why, `"wait"` waits for
   * `approve` or `deny`, of this program or of a command. Default: `"deny"`, or what the project's settings say.
   */
  readonly approvals?: "wait" | "deny";
  /** As `--trust`: what the project brings counts as it is now, and is remembered. Default: `false`. */
  readonly trust?: boolean;
}

const own = (isOwn: (value: unknown) => boolean, expected: string) => z.custom(isOwn, expected);
const MODEL =
  "expected a name such as anthropic/claude-sonnet-5-5, or a model such as createScriptedModel returns";
const MODULES = "expected names, paths such as ./my-module.js, or what defineModule returns";

const model = z.union([name, own(isModel, MODEL) as z.ZodType<Model>], MODEL);

function isModel(value: unknown): boolean {
  return typeof value === "object" && value !== null && "complete" in value && "profile" in value;
}

const spawnShape = {
  agent: name.optional(),
  id: z.string("expected an id such as 1 or helper").optional(),
  model: model.optional(),
  brief: z.string("expected a text").trim().optional(),
  modules: z
    .array(z.union([name, own(isObject, MODULES) as z.ZodType<Module>], MODULES), MODULES)
    .max(64)
    .optional(),
  actions: actionNames.optional(),
  memories: memoryIds.optional(),
  limits: limits.optional(),
  policy: policy.optional(),
  environment: environment.optional(),
};

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

const spawnOptions = section(spawnShape);
const PROVIDERS = "expected a map such as { anthropic: { apiKey } }";
const AGENTS = "expected a list of names, or of what spawn takes";
export const openOptions = section({
  project: z
    .string("expected the path of a folder")
    .min(1, "it is empty; leave it out for the current folder")
    .optional(),
  store: z.literal("memory", 'expected "memory"; leave it out to keep the legion in its project').optional(),
  session: name.optional(),
  model: model.optional(),
  providers: (own(isObject, PROVIDERS) as z.ZodType<ProgramProviders>).optional(),
  agents: z
    .array(z.union([name, own(isObject, AGENTS) as z.ZodType<SpawnOptions>], AGENTS), AGENTS)
    .optional(),
  limits: legionLimits.optional(),
  policy: policy.optional(),
  approvals: z.enum(["wait", "deny"], 'expected "wait" or "deny"').optional(),
  trust: z.boolean("expected true or false").optional(),
});

const forkOrder = section(forkOrderSchema.shape);

/** As it was said, and checked; an absent member is left to what the project settles. */
export type AgentWish = z.output<typeof spawnOptions>;
export type LegionWish = z.output<typeof openOptions>;

/** Throws USAGE with one line that names the option and says what would be right. */
export function readOpenOptions(options: unknown): LegionWish {
  return read("Legion.open", openOptions, options);
}

/** Throws as `readOpenOptions`, with CONFIG for a module that is none. */
export function readSpawnOptions(options: unknown, where = "spawn"): AgentWish {
  const wish = read(where, spawnOptions, typeof options === "string" ? { agent: options } : options);
  for (const module of wish.modules ?? []) if (typeof module !== "string") checkModule(module, `of ${where}`);
  return wish;
}

/** Throws as `readOpenOptions`. */
export function readForkOrder(order: unknown): ForkOrder {
  return read("fork", forkOrder, order);
}

/** Throws as `readOpenOptions`. */
export function read<T>(where: string, schema: z.ZodType<T>, options: unknown): T {
  const result = schema.safeParse(options, { reportInput: true });
  if (result.success) return result.data;
  throw new LegionError("USAGE", `${where}: ${explainIssue(result.error.issues[0]!)}`);
}
