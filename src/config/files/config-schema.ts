import { isAbsolute } from "node:path";
import { z } from "zod";
import { parseDuration } from "../../base/text/duration.ts";
import { parseGrant } from "../../environment/network/destination.ts";
import { parseLegionLimits } from "../../domain/limits.ts";
import { parsePolicy } from "../../domain/policy/policy.ts";
import { urlFlaw } from "../../model/http/base-url.ts";
import { parseRedisAddress } from "../../storage/redis/connection/address.ts";
import { isLegionName } from "../../domain/message/message.ts";
import {
  duration,
  environment,
  environmentKind,
  legionLimits,
  memory,
  name,
  onOff,
  parsed,
  policy,
  reach,
  section,
} from "./settings.ts";
import { projectProviders } from "./provider-settings.ts";
import { BETWEEN_TEXTS } from "./variables.ts";
import { SEARCH_PROVIDERS } from "../web-search.ts";

const count = z.int("expected a whole number").min(1, "expected at least 1");
const dollars = z.number("expected US dollars per million tokens").min(0, "expected at least 0");
const TEMPERATURE = "expected a number from 0 to 2";
const TOP_P = "expected a share above 0 and up to 1";
const temperature = z.number(TEMPERATURE).min(0, TEMPERATURE).max(2, TEMPERATURE);
const topP = z.number(TOP_P).gt(0, TOP_P).max(1, TOP_P);
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
  temperature: temperature.optional(),
  topP: topP.optional(),
});
const modelName = name.regex(
  /^(anthropic|openai)\/./,
  "expected a name such as openai/llama3 or anthropic/<id>",
);
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
/** Of the version before. */
const noCommands = z
  .never({ error: "commands are judged by the policy now: write `policy: { allow: [run *] }`, or nothing" })
  .optional();

const SEARCH_URL = "expected a URL such as http://localhost:8080, without a name or password in it";
const search = withoutKeys(
  section({
    provider: z.enum(SEARCH_PROVIDERS, `expected one of ${SEARCH_PROVIDERS.join(", ")}`).optional(),
    url: z
      .string(SEARCH_URL)
      .trim()
      .refine((url) => urlFlaw(url, "") === undefined, SEARCH_URL)
      .optional(),
  }).refine(
    ({ provider, url }) => url === undefined || provider !== undefined,
    "url is for one provider: name it beside, such as provider: searxng",
  ),
);
const BROWSER = "expected off, or the absolute path of a Chrome or Chromium";
const PRIVATE = "expected a list of hosts and networks such as [localhost, 10.0.0.5:8080, 192.168.0.0/16]";
const place = parsed((entry) => {
  const text = String(entry).trim();
  parseGrant(text);
  return text;
});
const web = withoutKeys(
  section({
    search: search.optional(),
    allowPrivate: z.array(place, PRIVATE).optional(),
    browser: z
      .preprocess(
        (value) => (value === false ? "off" : value),
        z.string(BROWSER).refine((path) => path === "off" || isAbsolute(path), BROWSER),
      )
      .optional(),
  }),
);

/** A project is shared and kept; keys are neither. The value of such an entry is not repeated. */
function withoutKeys<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value, context) => {
    const names = typeof value === "object" && value !== null ? Object.keys(value) : [];
    const key = names.find((entry) => /key|token|secret|password/i.test(entry));
    if (key === undefined) return value;
    const message =
      "no keys in this file: set GOOGLE_API_KEY, BRAVE_API_KEY or TAVILY_API_KEY, in the environment or in .env";
    context.addIssue({ code: "custom", path: [key], message });
    return z.NEVER;
  }, schema);
}

const SECRETS = "expected a list of names of variables such as [DEPLOY_TOKEN], never their values";
/** What is wrong with one is not repeated: it may be a value. */
const secrets = z.array(z.string(SECRETS).regex(/^[A-Za-z_]\w*$/, SECRETS), SECRETS);

const SERVERS = "expected a list of names of MCP servers such as [weather]";
const servers = z.array(z.string(SERVERS), SERVERS);

const approvalsMode = z.enum(["wait", "deny"], { error: "expected wait or deny" });
const approvals = z.preprocess(
  (value) => (typeof value === "string" ? { mode: value } : value),
  section({ mode: approvalsMode.optional(), expire: duration.optional() }),
);

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
  policy: policy.optional(),
  approvals: approvals.optional(),
  memory: memory.optional(),
  undo: z.enum(["on", "off"], { error: "expected on or off" }).optional(),
  durability: z.enum(["disk", "process"], { error: "expected disk or process" }).optional(),
  models: z.record(modelName, modelSettings, "expected a map of model names").optional(),
  providers: projectProviders.optional(),
  environment: environment.optional(),
  system: section({ commands: noCommands }).optional(),
  web: web.optional(),
  mcp: section({
    trusted: servers.optional(),
    outside: servers.optional(),
    network: z.record(z.string(), reach, "expected a map of names of MCP servers").optional(),
  }).optional(),
  secrets: secrets.optional(),
});
/** What can be said in one text: in the environment, or behind a flag. */
export const textSettings = z.strictObject({
  ...shape,
  commands: z.literal("allow").optional(),
  approvals: approvalsMode.optional(),
  environment: environmentKind.optional(),
  volatile: z.enum(["allow", "refuse"]).optional(),
  pins: z.enum(["move", "keep"]).optional(),
  limits: parsed((text) => parseLegionLimits(String(text))).optional(),
  policy: parsed((text) => parsePolicy(String(text).split(BETWEEN_TEXTS))).optional(),
});

export type FileSettings = z.output<typeof fileSettings>;
export type TextSettings = z.output<typeof textSettings>;
