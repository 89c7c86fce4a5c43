// What config.yaml may hold, for editors: they complete its keys and mark what is wrong while one types.

import { z } from "zod";
import { ENVIRONMENT_KINDS } from "../../environment/environment.ts";
import { fileSettings, type FileSettings } from "./config-schema.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

const MEANINGS: Readonly<Record<keyof FileSettings, string>> = {
  model: "The model of agents that name none, such as anthropic/<id>, openai/<id> or offline.",
  agent: "The definition that `legion start` uses: agents/<name>.md.",
  bus: "Where the legion lives: memory (this process and this folder), or redis://host:6379/0.",
  name: "Tells the legion from others in the same Redis.",
  tick: "An agent decides at most once in this time; 0: as soon as there is something to decide.",
  heartbeat: "How often idle agents are asked whether there is anything to do, or off.",
  delay: "A pause after each decision.",
  limits: "What each agent (steps, turns) and all together (tokens, cost, time) may use; or none.",
  policy: "What agents may do without asking: profile, and the rules deny, ask, allow, such as run npm test.",
  approvals:
    "What becomes of what has to be asked: wait (mode), and how long (expire); or deny, where nobody is there.",
  memory: "What agents are shown of their past.",
  undo: "on: what actions replace in files is kept, so that `legion undo` can put it back. off: it is not.",
  durability: "disk: what is acknowledged survives the machine. process: faster, and survives the program.",
  models: "Models that the registry does not know, by name: window, price, abilities.",
  providers: "How providers are reached.",
  environment: "Where commands run, and what they reach: a kind, or all about it.",
  system: "Nothing any more: what commands may run says the policy.",
  web: "The module web: pages and searches.",
  mcp: "The module mcp: servers whose word on what their tools do is taken (trusted), that run without a sandbox (outside), and what others reach (network).",
  secrets: "Names of variables whose values no agent, log or screen is shown.",
};

/** JSON Schema (draft 2020-12) of config.yaml, made from the schema that it is checked with. */
export function configJsonSchema(): JsonSchema {
  const schema: JsonSchema = z.toJSONSchema(fileSettings, {
    io: "input",
    unrepresentable: "any",
    // Not every editor reads a pattern as Unicode, and then it fits nothing.
    override: ({ jsonSchema }) => {
      if (jsonSchema.pattern?.toLowerCase().includes("\\p{")) delete jsonSchema.pattern;
    },
  });
  const properties = Object.entries(schema.properties ?? {}).map(([key, property]) => {
    const meaning = MEANINGS[key as keyof FileSettings];
    return [key, { description: meaning, ...(WORDS[key]?.(property) ?? toSchema(property)) }];
  });
  return { title: "Settings of a legion", ...schema, properties: Object.fromEntries(properties) };
}

/** Of those that may be one word instead of a map. */
const WORDS: Readonly<Record<string, (property: z.core.JSONSchema._JSONSchema) => JsonSchema>> = {
  limits: orNone,
  approvals: (property) => ({ anyOf: [{ enum: ["wait", "deny"] }, toSchema(property)] }),
  environment: (property) => ({ anyOf: [{ enum: [...ENVIRONMENT_KINDS] }, toSchema(property)] }),
};

/** What zod tells of a schema behind `preprocess` is what comes out of it: here a map that may be one word instead. */
function orNone(limits: z.core.JSONSchema._JSONSchema): JsonSchema {
  const { properties = {}, ...rest } = toSchema(limits);
  const scopes = Object.fromEntries(
    ["agent", "legion"].map((scope) => [scope, { anyOf: [{ const: "none" }, toSchema(properties[scope])] }]),
  );
  return { anyOf: [{ const: "none" }, { ...rest, properties: { ...properties, ...scopes } }] };
}

function toSchema(schema: z.core.JSONSchema._JSONSchema | undefined): JsonSchema {
  return typeof schema === "object" ? schema : {};
}
