import { at, listAt } from "./json.ts";
import type { SearchProvider } from "./provider.ts";
import { COMPLAINTS, createSearchProvider, MAX_HITS } from "./service.ts";

export interface BraveOptions {
  readonly key: string;
  readonly baseUrl?: string;
}

/**
 * Brave's Web Search API.
 * @see https://api-dashboard.search.brave.com/documentation
 */
export function createBraveSearch({ key, baseUrl }: BraveOptions): SearchProvider {
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
    complaint,
  });
}

function complaint(status: number, answer: unknown): string | undefined {
  const code = at(answer, "error", "code");
  if (status === 401 || status === 403 || code === "SUBSCRIPTION_TOKEN_INVALID")
    return COMPLAINTS.key("BRAVE_API_KEY");
  // The limits of a second and of a month come with the same status.
  const quota = Number(at(answer, "error", "meta", "quota_limit"));
  const spent = Number(at(answer, "error", "meta", "quota_current"));
  if (status === 429 && (code === "QUOTA_LIMITED" || (quota > 0 && spent >= quota))) return COMPLAINTS.used;
  return undefined;
}
