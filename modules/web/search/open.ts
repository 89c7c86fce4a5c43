// How each service is asked, and what its answers mean.

import type { WebSettings } from "../settings.ts";
import { at, listAt, textAt } from "./json.ts";
import type { SearchProvider } from "./provider.ts";
import { COMPLAINTS, createSearchProvider, MAX_HITS } from "./service.ts";

export interface KeyedOptions {
  readonly key: string;
  readonly baseUrl?: string;
}

/** The provider that the settings name, or why there is none, in words for the agent. */
export function openSearch({ search, keys = () => ({}) }: WebSettings): SearchProvider | string {
  if (!search)
    return "No web search is set up here. Tell Control that `legion doctor` says how to set one up; until then, go on without.";
  if ("problem" in search)
    return `Web search is set up wrongly here: ${search.problem} Tell Control; until then, go on without.`;
  const { provider, baseUrl } = search;
  const of = (variable: string): string => keys()[variable] ?? "";
  switch (provider) {
    case "google":
      return createGoogleSearch({
        key: of("GOOGLE_API_KEY"),
        engine: of("GOOGLE_SEARCH_ENGINE_ID"),
        baseUrl,
      });
    case "brave":
      return createBraveSearch({ key: of("BRAVE_API_KEY"), baseUrl });
    case "tavily":
      return createTavilySearch({ key: of("TAVILY_API_KEY"), baseUrl });
    case "searxng":
      return createSearxngSearch({ baseUrl: baseUrl ?? "" });
  }
}

/**
 * Google's Custom Search JSON API.
 * @see https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list
 */
export function createGoogleSearch({
  key,
  engine,
  baseUrl,
}: KeyedOptions & { readonly engine: string }): SearchProvider {
  return createSearchProvider({
    name: "Google",
    home: "https://customsearch.googleapis.com",
    baseUrl,
    path: "/customsearch/v1",
    secrets: [key],
    request: (q) => ({ parameters: { key, cx: engine, q, num: String(MAX_HITS) } }),
    results: (answer) => listAt(answer, "items") ?? (isRecord(answer) ? [] : undefined),
    fields: { url: "link", snippet: "snippet" },
    complaint: googleComplaint,
  });
}

/** Where nothing was found, there is no list. */
function isRecord(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && !Array.isArray(answer);
}

/** The same cause comes with several statuses: what is wrong is said by reasons. */
function googleComplaint(status: number, answer: unknown): string | undefined {
  const error = at(answer, "error");
  const lists = [listAt(error, "errors"), listAt(error, "details")].flatMap((list) => list ?? []);
  const reasons = new Set(lists.map((entry) => at(entry, "reason")));
  const message = textAt(error, "message");
  const says = (...known: readonly string[]): boolean => known.some((reason) => reasons.has(reason));
  if (says("API_KEY_INVALID", "keyInvalid") || message.startsWith("API key not valid"))
    return COMPLAINTS.key("GOOGLE_API_KEY");
  if (says("dailyLimitExceeded", "quotaExceeded") || (status === 429 && message.includes("per day")))
    return COMPLAINTS.used;
  if (says("rateLimitExceeded", "userRateLimitExceeded")) return COMPLAINTS.rate;
  if (says("SERVICE_DISABLED", "accessNotConfigured"))
    return "is not switched on for this key: tell Control to enable the Custom Search API in its project";
  if (message.includes("does not have the access to Custom Search"))
    return "does not give this project its Custom Search API: tell Control to choose another provider";
  if (status === 401 || status === 403) return COMPLAINTS.key("GOOGLE_API_KEY");
  if (status === 400)
    return `${COMPLAINTS.query}; if that does not help, tell Control to check GOOGLE_SEARCH_ENGINE_ID`;
  if (status === 404 || status === 410)
    return "no longer has this API: tell Control to choose another provider";
  return undefined;
}

/**
 * Brave's Web Search API.
 * @see https://api-dashboard.search.brave.com/documentation
 */
export function createBraveSearch({ key, baseUrl }: KeyedOptions): SearchProvider {
  return createSearchProvider({
    name: "Brave Search",
    home: "https://api.search.brave.com",
    baseUrl,
    path: "/res/v1/web/search",
    secrets: [key],
    request: (q) => ({
      parameters: { q, count: String(MAX_HITS), result_filter: "web" },
      headers: { "x-subscription-token": key },
    }),
    // Where nothing was found, there is no list.
    results: (answer) =>
      listAt(answer, "web", "results") ?? (at(answer, "type") === "search" ? [] : undefined),
    fields: { url: "url", snippet: "description" },
    complaint: braveComplaint,
  });
}

function braveComplaint(status: number, answer: unknown): string | undefined {
  const code = at(answer, "error", "code");
  if (status === 401 || status === 403 || code === "SUBSCRIPTION_TOKEN_INVALID")
    return COMPLAINTS.key("BRAVE_API_KEY");
  // The limits of a second and of a month come with the same status.
  const quota = Number(at(answer, "error", "meta", "quota_limit"));
  const spent = Number(at(answer, "error", "meta", "quota_current"));
  if (status === 429 && (code === "QUOTA_LIMITED" || (quota > 0 && spent >= quota))) return COMPLAINTS.used;
  return undefined;
}

/**
 * Tavily's search API, in its cheapest depth.
 * @see https://docs.tavily.com/documentation/api-reference/endpoint/search
 */
export function createTavilySearch({ key, baseUrl }: KeyedOptions): SearchProvider {
  return createSearchProvider({
    name: "Tavily",
    home: "https://api.tavily.com",
    baseUrl,
    path: "/search",
    secrets: [key],
    request: (query) => ({
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ query, search_depth: "basic", max_results: MAX_HITS }),
    }),
    results: (answer) => listAt(answer, "results"),
    fields: { url: "url", snippet: "content" },
    complaint(status) {
      if (status === 401 || status === 403) return COMPLAINTS.key("TAVILY_API_KEY");
      // Of the plan, and of what is paid beyond it.
      return status === 432 || status === 433 ? COMPLAINTS.used : undefined;
    },
  });
}

/**
 * Any instance of SearXNG that gives JSON.
 * @see https://docs.searxng.org/dev/search_api.html
 */
export function createSearxngSearch({ baseUrl }: { readonly baseUrl: string }): SearchProvider {
  return createSearchProvider({
    name: "SearXNG",
    home: baseUrl,
    baseUrl,
    path: "/search",
    secrets: [],
    request: (q) => ({ parameters: { q, format: "json" } }),
    results: (answer) => listAt(answer, "results"),
    fields: { url: "url", snippet: "content" },
    complaint(status, answer) {
      if (status === 403)
        return `does not give JSON: tell Control to add json to search.formats in its settings.yml`;
      if (status === 429)
        return `takes us for a bot: wait before the next search, and tell Control to ease its limiter`;
      const failed = listAt(answer, "unresponsive_engines")?.length ?? 0;
      return failed > 0 && listAt(answer, "results")?.length === 0
        ? `found nothing, but ${failed} of its engines did not answer: try again later`
        : undefined;
    },
  });
}
