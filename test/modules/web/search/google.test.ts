import { expect } from "vitest";
import { createGoogleSearch } from "../../../../modules/web/search/open.ts";
import { describeProvider, KEY } from "./provider-contract.ts";

function refusal(code: number, message: string, reason: string, status = "") {
  return { error: { code, message, errors: [{ message, domain: "global", reason }], status } };
}
const QUOTA =
  "Quota exceeded for quota metric 'Queries' and limit 'Queries per day' of service 'customsearch.googleapis.com'";

describeProvider({
  name: "Google",
  home: "https://customsearch.googleapis.com/customsearch/v1",
  create: (baseUrl) => createGoogleSearch({ key: KEY, engine: "engine:1", baseUrl }),
  expectAsked({ method, path }, query) {
    expect(method).toBe("GET");
    const { pathname, searchParams } = new URL(path, "http://localhost");
    expect(pathname).toBe("/customsearch/v1");
    expect(Object.fromEntries(searchParams)).toEqual({ key: KEY, cx: "engine:1", q: query, num: "10" });
  },
  result: ({ title, url, snippet }) => ({ title, link: url, snippet, kind: "customsearch#result" }),
  found: (items) => ({
    kind: "customsearch#search",
    searchInformation: { totalResults: String(items.length) },
    items,
  }),
  nothing: { kind: "customsearch#search", searchInformation: { totalResults: "0" } },
  refusals: [
    [
      "a wrong key",
      400,
      {
        error: {
          code: 400,
          message: "API key not valid. Please pass a valid API key.",
          errors: [{ message: "API key not valid.", domain: "global", reason: "badRequest" }],
          status: "INVALID_ARGUMENT",
          details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
        },
      },
      /does not accept GOOGLE_API_KEY: tell Control to check it \(HTTP 400\)/,
    ],
    [
      "a restricted key",
      403,
      refusal(403, "Requests from referer <empty> are blocked.", "forbidden"),
      /GOOGLE_API_KEY/,
    ],
    [
      "a wrong engine",
      400,
      refusal(400, "Request contains an invalid argument.", "badRequest", "INVALID_ARGUMENT"),
      /tell Control to check GOOGLE_SEARCH_ENGINE_ID/,
    ],
    [
      "a used up day",
      429,
      refusal(429, QUOTA, "rateLimitExceeded", "RESOURCE_EXHAUSTED"),
      /no searches left/,
    ],
    [
      "a used up day, as it was",
      403,
      refusal(403, "Daily Limit Exceeded", "dailyLimitExceeded"),
      /no searches left/,
    ],
    [
      "too much haste",
      429,
      refusal(429, QUOTA.replace("day", "minute"), "rateLimitExceeded"),
      /wants fewer requests: wait a little/,
    ],
    [
      "an API that is off",
      403,
      refusal(
        403,
        "Custom Search API has not been used in project 1 before or it is disabled.",
        "accessNotConfigured",
      ),
      /tell Control to enable the Custom Search API/,
    ],
    [
      "a project that came too late",
      403,
      refusal(403, "This project does not have the access to Custom Search JSON API.", "forbidden"),
      /tell Control to choose another provider/,
    ],
    ["an API that is gone", 410, "Gone", /no longer has this API/],
  ],
});
