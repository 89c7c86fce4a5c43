import { expect } from "vitest";
import { createSearxngSearch } from "../../../../modules/web/search/open.ts";
import { describeProvider } from "./provider-contract.ts";

const FORBIDDEN = "<!doctype html><html lang=en><title>403 Forbidden</title><h1>Forbidden</h1>";

describeProvider({
  name: "SearXNG",
  home: "http://localhost:8080/search",
  create: (baseUrl) => createSearxngSearch({ baseUrl }),
  expectAsked({ method, path }, query) {
    expect(method).toBe("GET");
    const { pathname, searchParams } = new URL(path, "http://localhost");
    expect(pathname).toBe("/search");
    expect(Object.fromEntries(searchParams)).toEqual({ q: query, format: "json" });
  },
  result: ({ title, url, snippet }) => ({ title, url, content: snippet, engine: "brave" }),
  found: (results) => ({
    query: "x",
    number_of_results: 0,
    results,
    unresponsive_engines: [["google", "timeout"]],
  }),
  nothing: { query: "x", number_of_results: 0, results: [], unresponsive_engines: [] },
  refusals: [
    [
      "an instance without JSON",
      403,
      FORBIDDEN,
      /does not give JSON: tell Control to add json to search\.formats/,
    ],
    ["a limiter", 429, "Too Many Requests", /takes us for a bot: wait before the next search/],
    [
      "engines that are blocked themselves",
      200,
      {
        query: "x",
        results: [],
        unresponsive_engines: [
          ["google", "CAPTCHA"],
          ["brave", "too many requests"],
        ],
      },
      /found nothing, but 2 of its engines did not answer: try again later\.$/,
    ],
    ["a bad query", 400, { error: "No query" }, /does not accept the query/],
    [
      "another server",
      404,
      "Not Found",
      /does not answer at 127\.0\.0\.1:\d+: tell Control to check the address/,
    ],
  ],
});
