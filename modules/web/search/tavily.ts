import { listAt } from "./json.ts";
import type { SearchProvider } from "./provider.ts";
import { COMPLAINTS, createSearchProvider, MAX_HITS } from "./service.ts";

export interface TavilyOptions {
  readonly key: string;
  readonly baseUrl?: string;
}

/**
 * Tavily's search API, in its cheapest depth.
 * @see https://docs.tavily.com/documentation/api-reference/endpoint/search
 */
export function createTavilySearch({ key, baseUrl }: TavilyOptions): SearchProvider {
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
