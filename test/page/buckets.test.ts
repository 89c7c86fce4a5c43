import { expect, it } from "vitest";
import { bucketsOf } from "../../page/cost/buckets.ts";

const NOTHING = { steps: 1, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, unparsed: 0, retried: 0 };
const span = (at: string, minutes: number, cost: number | null = 1) => ({ ...NOTHING, at, minutes, cost });

it("what was spent is split into stretches of equal length, also those in which nothing was", () => {
  const { buckets, minutes } = bucketsOf([
    span("2026-03-14T12:00:00Z", 1),
    span("2026-03-14T12:03:00Z", 1, 2),
    span("2026-03-14T12:20:00Z", 1, null),
  ]);
  expect(minutes).toBe(1);
  expect(buckets.map(({ cost }) => cost)).toEqual([1, 0, 0, 2, ...Array.from({ length: 17 }, () => 0)]);
  expect(buckets.map(({ steps }) => steps).filter(Boolean)).toEqual([1, 1, 1]);
});

it("where some of it is known by the hour alone, none is told by the minute, and there are never many", () => {
  const hours = bucketsOf([
    span("2026-03-14T10:00:00Z", 60),
    span("2026-03-14T12:01:00Z", 1),
    span("2026-03-14T12:59:00Z", 1),
  ]);
  expect(hours.minutes).toBe(60);
  expect(hours.buckets.slice(-3).map(({ cost }) => cost)).toEqual([1, 0, 2]);
  const years = bucketsOf([span("2020-01-01T00:00:00Z", 1_440), span("2026-03-14T12:01:00Z", 1)]);
  expect(years.buckets.length).toBeLessThanOrEqual(61);
  expect(years.buckets.reduce((sum, { cost }) => sum + cost, 0)).toBe(2);
  expect(bucketsOf([])).toEqual({ buckets: [], minutes: 1 });
});
