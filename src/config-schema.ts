import { z } from "zod";
import { parseDuration } from "./duration.ts";
import { parseLegionLimits } from "./limits.ts";
import { parseRedisAddress } from "./redis/address.ts";
import { isLegionName } from "./redis/keys.ts";
import { duration, legionLimits, memory, name, onOff, parsed, section } from "./settings.ts";

const count = z.int("expected a whole number").min(1, "expected at least 1");
const dollars = z.number("expected US dollars per million tokens").min(0, "expected at least 0");
const modelSettings = section({
  window: count.optional(),
  maxOutput: count.optional(),
  price: section({
    input: dollars,
    output: dollars,
    cacheRead: dollars.optional(),
    cacheWrite: dollars.optional(),
  }).optional(),
  tools: onOff.optional(),
});
const modelName = name.regex(
  /^(anthropic|openai)\/./,
  "expected a name such as openai/llama3 or anthropic/<id>",
);
const providerShape = {
  baseUrl: z
    .url({ protocol: /^https?$/, error: "expected a URL such as http://localhost:11434/v1" })
    .optional(),
  stream: onOff.transform((on): "on" | "off" => (on ? "on" : "off")).optional(),
  concurrency: count.optional(),
  first: duration.optional(),
  stall: duration.optional(),
};
const providers = section({
  anthropic: section({
    ...providerShape,
    apiVersion: z.enum(["2026-10-21", "2023-06-01"], "expected 2026-10-21 or 2023-06-01").optional(),
  })
    .transform(withUnits)
    .optional(),
  openai: section(providerShape).transform(withUnits).optional(),
});

function withUnits<T extends { readonly first?: number; readonly stall?: number }>({
  first,
  stall,
  ...rest
}: T) {
  return {
    ...rest,
    ...(first !== undefined && { firstMs: first }),
    ...(stall !== undefined && { stallMs: stall }),
  };
}

const bus = parsed((value) => {
  if (value === "memory") return { kind: "memory" } as const;
  if (typeof value === "string" && /^rediss?:/i.test(value))
    return { kind: "redis", address: parseRedisAddress(value) } as const;
  throw new Error("expected memory, or a URL such as redis://localhost:6379/0");
});
const LEGION_NAME = "expected a name of a-z, 0-9, dots, dashes and underscores, such as legion";
const legionName = z.string(LEGION_NAME).refine(isLegionName, LEGION_NAME);
const heartbeat = parsed((value) => (value === "off" ? value : parseDuration(value))).refine(
  (ms) => ms === "off" || ms >= 1_000,
  "expected off, or at least 1s",
);
const commands = z.enum(["allow", "refuse"], { error: "expected allow or refuse" });

const shape = {
  model: name.optional(),
  agent: name.optional(),
  bus: bus.optional(),
  name: legionName.optional(),
  tick: duration.optional(),
  heartbeat: heartbeat.optional(),
  delay: duration.optional(),
};
/** What config.yaml may hold. */
export const fileSettings = section({
  ...shape,
  limits: legionLimits.optional(),
  memory: memory.optional(),
  durability: z.enum(["disk", "process"], { error: "expected disk or process" }).optional(),
  models: z.record(modelName, modelSettings, "expected a map of model names").optional(),
  providers: providers.optional(),
  system: section({ commands: commands.optional() }).optional(),
  web: z.record(z.string(), z.unknown(), "expected a map").optional(),
});
/** What can be said in one text: in the environment, or behind a flag. */
export const textSettings = z.strictObject({
  ...shape,
  commands: commands.optional(),
  volatile: z.enum(["allow", "refuse"]).optional(),
  pins: z.enum(["move", "keep"]).optional(),
  limits: parsed((text) => parseLegionLimits(String(text))).optional(),
});

export type FileSettings = z.output<typeof fileSettings>;
export type TextSettings = z.output<typeof textSettings>;
