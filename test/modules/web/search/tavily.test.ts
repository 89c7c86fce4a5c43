import { expect } from "vitest";
import { createTavilySearch } from "../../../../modules/web/search/open.ts";
import { describeProvider, KEY } from "./provider-contract.ts";

const refusal = (error: string) => ({ detail: { error } });

describeProvider({
  name: "Tavily",
  home: "https://api.tavily.com/search",
  create: (baseUrl) => createTavilySearch({ key: KEY, baseUrl }),
  expectAsked({ method, path, headers, body }, query) {
    expect([method, path]).toEqual(["POST", "/search"]);
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, "content-type": "application/json" });
    expect(JSON.parse(body)).toEqual({ query, search_depth: "basic", max_results: 10 });
  },
  result: ({ title, url, snippet }) => ({ title, url, content: snippet, score: 0.9, raw_content: null }),
  found: (results) => ({ query: "x", answer: null, results, response_time: 1.2 }),
  nothing: { query: "x", results: [], response_time: 0.4 },
  refusals: [
    [
      "a wrong key",
      401,
      refusal("Unauthorized: missing or invalid API key."),
      /does not accept TAVILY_API_KEY/,
    ],
    [
      "a bad query",
      400,
      refusal("Query is too short. Min query length is 2 characters."),
      /not accept the query/,
    ],
    [
      "a bad request",
      422,
      { detail: [{ loc: ["body", "query"], msg: "Field required" }] },
      /not accept the query/,
    ],
    [
      "too much haste",
      429,
      refusal("Your request has been blocked due to excessive requests."),
      /fewer requests/,
    ],
    ["a used up plan", 432, refusal("This request exceeds your plan's set usage limit."), /no searches left/],
    [
      "a limit on what is paid",
      433,
      refusal("This request exceeds the pay-as-you-go limit."),
      /no searches left/,
    ],
  ],
});
