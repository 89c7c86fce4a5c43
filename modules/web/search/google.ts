import { at, listAt, textAt } from "./json.ts";
import type { SearchProvider } from "./provider.ts";
import { COMPLAINTS, createSearchProvider, MAX_HITS } from "./service.ts";

export interface GoogleOptions {
  readonly key: string;
  /** Of a Programmable Search Engine. */
  readonly engine: string;
  readonly baseUrl?: string;
}

/**
 * Google's Custom Search JSON API.
 * @see https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list
 */
export function createGoogleSearch({ key, engine, baseUrl }: GoogleOptions): SearchProvider {
  return createSearchProvider({
    name: "Google",
    home: "https://customsearch.googleapis.com",
    baseUrl,
    path: "/customsearch/v1",
    secrets: [key],
    request: (q) => ({ parameters: { key, cx: engine, q, num: String(MAX_HITS) } }),
    results: (answer) => listAt(answer, "items") ?? (isRecord(answer) ? [] : undefined),
    fields: { url: "link", snippet: "snippet" },
    complaint,
  });
}

/** Where nothing was found, there is no list. */
function isRecord(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && !Array.isArray(answer);
}

/** The same cause comes with several statuses: what is wrong is said by reasons. */
function complaint(status: number, answer: unknown): string | undefined {
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
