// Where a provider's requests go, with which key. A base URL that came with a project may not take a person's own key along.

import { plainAddress, whyNotPublic } from "../../environment/network/address.ts";

/** The hosts that are a provider's own, and their subdomains. */
const OWN_HOSTS = {
  anthropic: "api.anthropic.com",
  openai: "api.openai.com",
  google: "customsearch.googleapis.com",
  brave: "api.search.brave.com",
  tavily: "api.tavily.com",
} as const;

/** Has a key in `<NAME>_API_KEY`, and may have a base URL in `<NAME>_BASE_URL`. */
export type KeyedProvider = keyof typeof OWN_HOSTS;

/** The host, with its port, that `url` leads to; `undefined` where that is the provider's own. `url` must be valid. */
export function foreignHost(provider: KeyedProvider, url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const { protocol, hostname, host } = new URL(url);
  const own = OWN_HOSTS[provider];
  const isOwn = hostname === own || hostname.endsWith(`.${own}`);
  return isOwn && protocol === "https:" ? undefined : host;
}

/** What says a base URL: the person's environment, the project's `.env`, its config file. */
export interface UrlSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly dotEnv: Readonly<Record<string, string | undefined>>;
  readonly configFile: { readonly name: string; readonly baseUrl: string | undefined };
  /** Headers of the person's own go with each request. */
  readonly carries?: "headers";
}

/**
 * Why a request to `provider` would give a key or headers of the person's away: the key is from the environment, or there are
 * headers, the base URL is from a file of the project, and it leads to another machine that is not the provider's. `undefined`
 * where none of it does.
 */
export function keyLeak(provider: KeyedProvider, sources: UrlSources): string | undefined {
  const { env, dotEnv, configFile, carries } = sources;
  const [key, variable] = [`${provider.toUpperCase()}_API_KEY`, `${provider.toUpperCase()}_BASE_URL`];
  const given = env[key]?.trim() ? key : carries;
  if (given === undefined || env[variable]?.trim()) return undefined;
  // An empty variable of the environment hides the one of `.env`.
  const inDotEnv = env[variable] === undefined ? dotEnv[variable]?.trim() : undefined;
  const [file, url] = inDotEnv ? [".env", inDotEnv] : [configFile.name, configFile.baseUrl];
  if (!url || !URL.canParse(url)) return undefined;
  const host = foreignHost(provider, url);
  if (host === undefined || isLoopback(new URL(url).hostname)) return undefined;
  return (
    `${file} sends requests for ${provider} to ${new URL(url).origin}, and your ${given} with them; ` +
    `if you trust that, export ${variable} yourself, else remove it from ${file}.`
  );
}

/** Keys are copied together with line breaks and quotes; what a header cannot hold would be quoted by its error. */
export function keyFlaw(key: string, variable: string): string | undefined {
  if (/^[\x21-\x7e]*$/.test(key)) return undefined;
  return `${variable} holds a blank or a character that no key has; copy the key again.`;
}

/** `what` names the URL. */
export function urlFlaw(url: string, what: string): string | undefined {
  const { protocol, username, password } = URL.canParse(url) ? new URL(url) : {};
  if ((protocol === "http:" || protocol === "https:") && !username && !password) return undefined;
  return `${what} has to begin with http:// or https://, without a name or password in it.`;
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Names that no public server has. */
const NEAR_NAME = /^[^.]+$|\.(?:localhost|local|internal|lan|home\.arpa)$/;

/** Is the host of `url` this machine or one of a private network? Told by its name or address; nothing is looked up. */
export function isNear(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$|\.$/g, "");
  const address = plainAddress(host);
  return address === undefined ? NEAR_NAME.test(host) : whyNotPublic(address) !== undefined;
}
