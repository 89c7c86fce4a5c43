// How a provider is reached: its settings, where it is, and the key that goes there.

import { LegionError } from "../../base/errors.ts";
import { foreignHost, keyFlaw, urlFlaw } from "../http/base-url.ts";
import type { CompatibleServer } from "./server.ts";
import type { Reach } from "../http/connection.ts";

/** A provider's section under `providers:` in config.yaml. */
export interface ProviderSettings extends Reach {
  /** The most tokens that an answer may have, of models of which nobody says otherwise. */
  readonly maxOutput?: number;
  /** Sent with each request; a function, so that no log, copy or listing of settings shows them. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** Why none of its models may be opened; in one line. */
  readonly refusal?: string;
}

export interface ConnectionSettings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** By provider. */
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
}

export interface Connection extends Reach {
  /** Empty where none is set. */
  readonly apiKey: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxOutput?: number;
}

/** Throws CONFIG, in one line with the way out, if the base URL or the key may not be used. */
export function connect(
  provider: "anthropic" | "openai",
  { env, providers = {} }: ConnectionSettings,
): Connection {
  const { refusal, headers, ...settings } = (Object.hasOwn(providers, provider) && providers[provider]) || {};
  const variable = provider.toUpperCase();
  const baseUrl = env[`${variable}_BASE_URL`] || settings.baseUrl;
  const apiKey = env[`${variable}_API_KEY`]?.trim() ?? "";
  const flaw =
    refusal ??
    (baseUrl === undefined ? undefined : urlFlaw(baseUrl, `The base URL of ${provider}`)) ??
    keyFlaw(apiKey, `${variable}_API_KEY`);
  if (flaw !== undefined) throw new LegionError("CONFIG", flaw);
  return { ...settings, apiKey, baseUrl, headers: headers?.() };
}

/** The server that `openai/...` leads to where that is not OpenAI's own; `undefined` where it is. Throws as `connect` does. */
export function serverOf(settled: ConnectionSettings): CompatibleServer | undefined {
  const { baseUrl, apiKey, headers } = connect("openai", settled);
  return baseUrl !== undefined && foreignHost("openai", baseUrl) !== undefined
    ? { baseUrl, apiKey, headers }
    : undefined;
}
