import { expect } from "vitest";
import { createBraveSearch } from "../../../../modules/web/search/open.ts";
import { describeProvider, KEY } from "./provider-contract.ts";

function refusal(status: number, code: string, meta: object = {}) {
  return { type: "ErrorResponse", error: { id: "1", status, code, detail: "what happened", meta }, time: 1 };
}

describeProvider({
  name: "Brave Search",
  home: "https://api.search.brave.com/res/v1/web/search",
  create: (baseUrl) => createBraveSearch({ key: KEY, baseUrl }),
  expectAsked({ method, path, headers }, query) {
    expect(method).toBe("GET");
    expect(headers["x-subscription-token"]).toBe(KEY);
    expect(path).not.toContain("k3y");
    const { pathname, searchParams } = new URL(path, "http://localhost");
    expect(pathname).toBe("/res/v1/web/search");
    expect(Object.fromEntries(searchParams)).toEqual({ q: query, count: "10", result_filter: "web" });
  },
  result: ({ title, url, snippet }) => ({ title, url, description: snippet }),
  found: (results) => ({ type: "search", query: { original: "x" }, web: { type: "search", results } }),
  nothing: { type: "search", query: { original: "x" } },
  refusals: [
    [
      "a wrong key",
      422,
      refusal(422, "SUBSCRIPTION_TOKEN_INVALID"),
      /does not accept BRAVE_API_KEY: tell Control/,
    ],
    ["a missing key", 401, refusal(401, "UNAUTHORIZED"), /does not accept BRAVE_API_KEY/],
    ["a plan without it", 403, refusal(403, "RESOURCE_NOT_ALLOWED"), /does not accept BRAVE_API_KEY/],
    ["a bad query", 422, refusal(422, "VALIDATION"), /does not accept the query: write it shorter/],
    [
      "too much haste",
      429,
      refusal(429, "RATE_LIMITED", { rate_limit: 1, rate_current: 1, quota_limit: 2000, quota_current: 15 }),
      /wants fewer requests: wait a little/,
    ],
    [
      "a used up month",
      429,
      refusal(429, "RATE_LIMITED", {
        rate_limit: 1,
        rate_current: 0,
        quota_limit: 2000,
        quota_current: 2000,
      }),
      /no searches left for now/,
    ],
    ["a used up month, by its code", 429, refusal(429, "QUOTA_LIMITED"), /no searches left for now/],
    ["an unpaid bill", 402, refusal(402, "PAYMENT"), /no searches left for now/],
  ],
});
