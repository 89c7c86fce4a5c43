import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createNodeNews, listed } from "../../../../src/storage/redis/node/news.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("tells of moves together, in one line for each direction, and of none before the beginning", () => {
  const told: string[] = [];
  const news = createNodeNews((text) => told.push(text));
  news.moved("1", "here");
  news.begin();
  news.moved("2", "away");
  news.moved("3", "away");
  news.moved("4", "here");
  vi.runAllTimers();
  expect(told).toEqual(["Agent 4: here now.", "Agent 2, Agent 3: elsewhere now, or wait for a node."]);
});

it("says nothing of who went and came back at once, and nothing after the end", () => {
  const told: string[] = [];
  const news = createNodeNews((text) => told.push(text));
  news.begin();
  news.moved("1", "away");
  news.moved("1", "here");
  vi.runAllTimers();
  news.moved("2", "away");
  news.end();
  vi.runAllTimers();
  expect(told).toEqual([]);
});

it("names ten agents and counts the others", () => {
  const agents = Array.from({ length: 12 }, (_, n) => `a${n}`);
  expect(listed(agents)).toBe("a0, a1, a2, a3, a4, a5, a6, a7, a8, a9 and 2 more");
});
