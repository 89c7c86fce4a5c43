import { listAt } from "./json.ts";
import type { SearchProvider } from "./provider.ts";
import { createSearchProvider } from "./service.ts";

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
