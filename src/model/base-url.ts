// Where a provider's requests go. A base URL that came with a project may not take a person's own key along.

/** The hosts that are a provider's own, and their subdomains. */
const OWN_HOSTS: ReadonlyMap<string, string> = new Map([
  ["anthropic", "api.anthropic.com"],
  ["openai", "api.openai.com"],
]);

/** The host, with its port, that `url` leads to; `undefined` where that is the provider's own. `url` must be valid. */
export function foreignHost(provider: string, url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const { protocol, hostname, host } = new URL(url);
  const own = OWN_HOSTS.get(provider);
  const isOwn = hostname === own || hostname.endsWith(`.${own}`);
  return isOwn && protocol === "https:" ? undefined : host;
}

/** What says a base URL: the person's environment, the project's `.env`, its config file. */
export interface UrlSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly dotEnv: Readonly<Record<string, string | undefined>>;
  readonly configFile: { readonly name: string; readonly baseUrl: string | undefined };
}

/**
 * Why a request to `provider` would give a key of the person's away: the key is from the environment, the base URL from
 * a file of the project, and it leads to another machine that is not the provider's. `undefined` where none of it does.
 */
export function keyLeak(provider: "anthropic" | "openai", sources: UrlSources): string | undefined {
  const { env, dotEnv, configFile } = sources;
  const [key, variable] = [`${provider.toUpperCase()}_API_KEY`, `${provider.toUpperCase()}_BASE_URL`];
  if (!env[key]?.trim() || env[variable]?.trim()) return undefined;
  // An empty variable of the environment hides the one of `.env`.
  const inDotEnv = env[variable] === undefined ? dotEnv[variable]?.trim() : undefined;
  const [file, url] = inDotEnv ? [".env", inDotEnv] : [configFile.name, configFile.baseUrl];
  if (!url || !URL.canParse(url)) return undefined;
  const host = foreignHost(provider, url);
  if (host === undefined || isLoopback(new URL(url).hostname)) return undefined;
  return (
    `${file} sends requests for ${provider} to ${new URL(url).origin}, and your ${key} with them; ` +
    `if you trust that, export ${variable} yourself, else remove it from ${file}.`
  );
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
