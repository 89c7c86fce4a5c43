import { expect, it } from "vitest";
import { addCharge, NO_CHARGE } from "../../../src/past/digest/charges/charge.ts";
import { createTimeline, minuteOf, timelineSchema } from "../../../src/past/digest/charges/timeline.ts";

const ONE = { ...NO_CHARGE, steps: 1 };
const DAY = 1_440;
const BEGINNING = minuteOf(Date.parse("2026-01-01T00:00:00.000Z"));

/** One step every `every` minutes, for so many days. */
function lived(days: number, every: number) {
  const timeline = createTimeline();
  for (let minute = 0; minute < days * DAY; minute += every) timeline.add(BEGINNING + minute, ONE);
  return timeline;
}

const stepsIn = ({ spans }: ReturnType<typeof createTimeline>): number =>
  spans.map(({ charge }) => charge).reduce(addCharge, NO_CHARGE).steps;

it("tells a short life by minutes", () => {
  const timeline = lived(2, 1);
  expect(timeline.spans).toHaveLength(2 * DAY);
  expect(timeline.spans.every(({ minutes }) => minutes === 1)).toBe(true);
  expect(timeline.spans[0]).toEqual({ at: "2026-01-01T00:00:00.000Z", minutes: 1, charge: ONE });
});

it("tells a long life in no more rows: its end by minutes, further back by hours and by days, and loses nothing", () => {
  const timeline = lived(200, 1);
  const { spans } = timeline;
  expect(spans.length).toBeLessThanOrEqual(4_000);
  expect(stepsIn(timeline)).toBe(200 * DAY);
  const widths = spans.map(({ minutes }) => minutes);
  expect(widths).toEqual([...widths].sort((a, b) => b - a));
  expect(new Set(widths)).toEqual(new Set([DAY, 60, 1]));
  expect(spans.slice(-DAY).every(({ minutes, charge }) => minutes === 1 && charge.steps === 1)).toBe(true);
});

it("counts what comes late to the hour or day that it belongs to", () => {
  const timeline = lived(200, 1);
  const rows = timeline.spans.length;
  timeline.add(BEGINNING + 90, ONE);
  expect(timeline.spans).toHaveLength(rows);
  expect(timeline.spans[0]).toMatchObject({
    at: "2026-01-01T00:00:00.000Z",
    minutes: DAY,
    charge: { steps: DAY + 1 },
  });
});

it("goes on from what was kept as if it had not been left", () => {
  const whole = lived(30, 7);
  const kept = createTimeline(timelineSchema.parse(JSON.parse(JSON.stringify(lived(20, 7).pack()))));
  for (let minute = 20 * DAY; minute < 30 * DAY; minute++)
    if (minute % 7 === 0) kept.add(BEGINNING + minute, ONE);
  expect(kept.spans).toEqual(whole.spans);
});

it("takes what is no time for the beginning of all", () => expect(minuteOf(Date.parse("yesterday"))).toBe(0));
