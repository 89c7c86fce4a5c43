// Which service answers `searchWeb`: the one that config.yaml names, else the first that has what it needs.

import { keyFlaw, keyLeak, urlFlaw } from "../model/http/base-url.ts";
import type { Variables } from "../base/process/variables.ts";

export const SEARCH_PROVIDERS = ["google", "brave", "tavily", "searxng"] as const;
export type SearchProviderName = (typeof SEARCH_PROVIDERS)[number];

export type SearchChoice =
  | {
      readonly provider: SearchProviderName;
      /** Absent: the service's own. */
      readonly baseUrl?: string;
      /** For people: what it is called, and what led to it. */
      readonly why: string;
    }
  /** It cannot work: one sentence for whoever can put it right. */
  | { readonly problem: string };

/** Who may say something about it. */
export interface SearchSources {
  readonly env: Variables;
  readonly dotEnv: Variables;
  readonly file: {
    readonly name: string;
    readonly search?: { readonly provider?: SearchProviderName; readonly url?: string };
  };
}

interface Service {
  readonly title: string;
  readonly keys: readonly string[];
  readonly url: string;
  /** May the URL be left out? */
  readonly home: "own" | "none";
}

/** By the names of variables. */
const SERVICES: Readonly<Record<SearchProviderName, Service>> = {
  google: {
    title: "Google",
    keys: ["GOOGLE_API_KEY", "GOOGLE_SEARCH_ENGINE_ID"],
    url: "GOOGLE_BASE_URL",
    home: "own",
  },
  brave: { title: "Brave Search", keys: ["BRAVE_API_KEY"], url: "BRAVE_BASE_URL", home: "own" },
  tavily: { title: "Tavily", keys: ["TAVILY_API_KEY"], url: "TAVILY_BASE_URL", home: "own" },
  searxng: { title: "SearXNG", keys: [], url: "SEARXNG_URL", home: "none" },
};

/** All variables that have a say. */
export const SEARCH_KEYS = Object.values(SERVICES).flatMap(({ keys }) => keys);
export const SEARCH_URLS = Object.values(SERVICES).map(({ url }) => url);

/** For people who have none. */
export const HOW_TO_SEARCH =
  "set BRAVE_API_KEY, TAVILY_API_KEY, SEARXNG_URL, or GOOGLE_API_KEY and GOOGLE_SEARCH_ENGINE_ID, in the environment " +
  "or in .env (docs/web.md says how to get one)";

/** `undefined`: nobody named one, and none has what it needs. */
export function chooseSearch(sources: SearchSources): SearchChoice | undefined {
  const { file } = sources;
  const provider =
    file.search?.provider ?? SEARCH_PROVIDERS.find((name) => missing(name, sources).length === 0);
  if (provider === undefined) return undefined;
  const problem = problemOf(provider, sources);
  if (problem !== undefined) return { problem };
  const { title } = SERVICES[provider];
  const address = addressOf(provider, sources);
  const said = [...keysOf(provider, sources), ...(address ? [address] : [])];
  const facts = said.map(({ name, place }) => `${name} is set in ${place}`).join(", ");
  const at = address ? ` at ${new URL(address.value).origin}` : "";
  return { provider, ...(address && { baseUrl: address.value }), why: `${title}${at}: ${facts}` };
}

/** The keys of the chosen service, by variable. */
export function searchKeys(
  choice: SearchChoice | undefined,
  environment: Variables,
): Readonly<Record<string, string>> {
  if (!choice || "problem" in choice) return {};
  return Object.fromEntries(SERVICES[choice.provider].keys.map((name) => [name, environment[name] ?? ""]));
}

/** What it needs and nobody said. */
function missing(provider: SearchProviderName, sources: SearchSources): readonly string[] {
  const { keys, url, home } = SERVICES[provider];
  const lacking = keys.filter((name) => !find(name, sources));
  return home === "own" || addressOf(provider, sources) ? lacking : [...lacking, url];
}

function problemOf(provider: SearchProviderName, sources: SearchSources): string | undefined {
  const { env, dotEnv, file } = sources;
  const lacking = missing(provider, sources).join(" and ");
  if (lacking !== "")
    return `${file.name} chooses ${SERVICES[provider].title}: set ${lacking} in the environment or in .env.`;
  const [keyProblem] = keysOf(provider, sources).flatMap(({ name, value }) => keyFlaw(value, name) ?? []);
  const address = addressOf(provider, sources);
  const problem = keyProblem ?? (address && urlFlaw(address.value, address.name));
  if (problem !== undefined || provider === "searxng") return problem;
  return keyLeak(provider, { env, dotEnv, configFile: { name: file.name, baseUrl: file.search?.url } });
}

interface SearchSetting {
  readonly name: string;
  readonly value: string;
  readonly place: string;
}

function keysOf(provider: SearchProviderName, sources: SearchSources): readonly SearchSetting[] {
  return SERVICES[provider].keys.flatMap((name) => find(name, sources) ?? []);
}

function addressOf(provider: SearchProviderName, sources: SearchSources): SearchSetting | undefined {
  const { name, search } = sources.file;
  const inFile = search?.url && { name: "web.search.url", value: search.url, place: name };
  return find(SERVICES[provider].url, sources) ?? (inFile || undefined);
}

/** An empty variable of the environment hides the one of `.env`. */
function find(name: string, { env, dotEnv }: SearchSources): SearchSetting | undefined {
  const value = (env[name] ?? dotEnv[name])?.trim();
  return value ? { name, value, place: env[name] === undefined ? ".env" : "the environment" } : undefined;
}
