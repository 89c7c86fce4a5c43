// From the name of a model to the model.

import { resolve } from "node:path";
import { LegionError } from "../errors.ts";
import { keyFlaw, urlFlaw } from "./base-url.ts";
import type { Model } from "./model.ts";
import { findModel, type ModelDescription } from "./profiles.ts";
import type { ProviderOptions } from "./wire.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A provider's section under `providers:` in config.yaml. */
export interface ProviderSettings extends Pick<
  ProviderOptions,
  "baseUrl" | "stream" | "firstMs" | "stallMs"
> {
  /** Anthropic only; for compatible servers. */
  readonly apiVersion?: "2026-10-21" | "2023-06-01";
  /** Why none of its models may be opened; in one line. */
  readonly refusal?: string;
}

export interface ModelDeps {
  readonly env: Environment;
  /** What relative script files are relative to. */
  readonly dir: string;
  /** By provider. */
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
  /** By full name. */
  readonly models?: Readonly<Record<string, ModelDescription>>;
}

export interface ModelChoice {
  readonly name: string;
  /** For the first line of `start`. */
  readonly why: string;
}

const DEFAULT_ANTHROPIC = "anthropic/claude-sonnet-5-5";
const DEFAULT_OPENAI = "openai/gpt-6.1-terra";
const KNOWN = "anthropic/<id>, openai/<id>, offline, scripted:<file>, replay:<folder>";

/** Which model to use: the flag's, LEGION_MODEL, the config's, else the first that the environment has a key for. */
export function chooseModel(
  env: Environment,
  configured: { readonly flag?: string; readonly config?: string } = {},
): ModelChoice {
  if (configured.flag) return { name: configured.flag, why: "--model" };
  if (env["LEGION_MODEL"]) return { name: env["LEGION_MODEL"], why: "LEGION_MODEL is set" };
  if (configured.config) return { name: configured.config, why: "config.yaml" };
  if (env["ANTHROPIC_API_KEY"]) return { name: DEFAULT_ANTHROPIC, why: "ANTHROPIC_API_KEY is set" };
  if (env["OPENAI_API_KEY"]) return { name: DEFAULT_OPENAI, why: "OPENAI_API_KEY is set" };
  if (env["OPENAI_BASE_URL"])
    return { name: DEFAULT_OPENAI, why: "OPENAI_BASE_URL is set; LEGION_MODEL names another" };
  return { name: "offline", why: "no ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL is set" };
}

/** Opens the model called `name`. No request is made. Throws CONFIG if the name or a key is wrong, with the way out. */
export async function openModel(name: string, deps: ModelDeps): Promise<Model> {
  if (name === "offline") {
    const { createOfflineModel } = await import("./offline.ts");
    return createOfflineModel();
  }
  if (name.startsWith("scripted:")) {
    const { createScriptedModel } = await import("./scripted.ts");
    const { loadScript } = await import("./script-file.ts");
    return createScriptedModel(await loadScript(resolve(deps.dir, name.slice("scripted:".length))), { name });
  }
  if (name.startsWith("replay:"))
    throw new LegionError("CONFIG", "replay:<folder> replays a whole legion; only start --model takes it");
  const [, provider, id] = /^(anthropic|openai)\/(\S+)$/.exec(name) ?? [];
  if (provider === undefined || id === undefined) throw unknownModel(name);

  const { profile, ability } = findModel(name, deps.models);
  const { refusal, ...settings } =
    (deps.providers && Object.hasOwn(deps.providers, provider) && deps.providers[provider]) || {};
  if (refusal !== undefined) throw new LegionError("CONFIG", refusal);
  const variable = provider === "anthropic" ? "ANTHROPIC" : "OPENAI";
  const baseUrl = deps.env[`${variable}_BASE_URL`] || settings.baseUrl;
  const apiKey = deps.env[`${variable}_API_KEY`]?.trim() ?? "";
  refuse(baseUrl === undefined ? undefined : urlFlaw(baseUrl, `The base URL of ${provider}`));
  refuse(keyFlaw(apiKey, `${variable}_API_KEY`));
  if (!apiKey && !(provider === "openai" && baseUrl)) throw missingKey(name, `${variable}_API_KEY`);
  const options = { ...settings, id, profile, apiKey, baseUrl };

  if (provider === "anthropic") {
    const { createAnthropicModel } = await import("./anthropic.ts");
    return createAnthropicModel({ ...options, ...(ability === "thinks" && { thinking: "adaptive" }) });
  }
  const { createOpenAiModel } = await import("./openai.ts");
  return createOpenAiModel({ ...options, ...(ability === "unthinking" && { effortWithTools: "none" }) });
}

function refuse(flaw: string | undefined): void {
  if (flaw !== undefined) throw new LegionError("CONFIG", flaw);
}

function missingKey(name: string, variable: string): LegionError {
  return new LegionError(
    "CONFIG",
    `${name} needs a key: set ${variable} (in the environment or in .env), or use --model offline.`,
  );
}

function unknownModel(name: string): LegionError {
  const provider = /^claude/i.test(name)
    ? "anthropic"
    : /^(gpt|o\d|chatgpt)/i.test(name)
      ? "openai"
      : undefined;
  const advice = provider ? `did you mean ${provider}/${name}?` : `models are ${KNOWN}.`;
  return new LegionError("CONFIG", `There is no model ${JSON.stringify(name.slice(0, 200))}; ${advice}`);
}
