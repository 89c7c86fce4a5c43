import type { WebSettings } from "../settings.ts";
import { createBraveSearch } from "./brave.ts";
import { createGoogleSearch } from "./google.ts";
import type { SearchProvider } from "./provider.ts";
import { createSearxngSearch } from "./searxng.ts";
import { createTavilySearch } from "./tavily.ts";

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
