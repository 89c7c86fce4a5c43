import { expect, it } from "vitest";
import type { NewEvent } from "../../../src/domain/event/event.ts";
import { createDigest } from "../../../src/past/digest/digest.ts";
import { joinCharges } from "../../../src/past/digest/totals.ts";
import { decided, prompted, taken } from "./any-log.ts";

/** One every half minute. */
function digestOf(...events: readonly NewEvent[]) {
  const fold = createDigest();
  for (const [index, event] of events.entries()) {
    const at = new Date(Date.parse("2026-01-01T00:00:00.000Z") + index * 30_000).toISOString();
    fold.see({ ...event, seq: index + 1, epoch: 1, at });
  }
  return fold.digest;
}

it("adds up what agents spent, by each of them, by cause, by model and over time", () => {
  const small = { model: "small" };
  const one = digestOf(taken(1), prompted(10), decided(10), taken(2), prompted(5, small), decided(5, small));
  const other = digestOf(taken(1), prompted(20), decided(20));
  const { agents, causes, models, spans } = joinCharges([
    ["1", one],
    ["2", other],
  ]);
  expect([...agents].map(([id, { steps, input }]) => [id, steps, input])).toEqual([
    ["1", 2, 15],
    ["2", 1, 20],
  ]);
  expect(
    [...causes].map(([root, share]) => [root, share.agents, share.charge.input, share.isPriced]),
  ).toEqual([
    ["0>1#1", ["1", "2"], 30, true],
    ["0>1#2", ["1"], 5, true],
  ]);
  expect([...models].map(([model, share]) => [model, share.agents, share.charge.input])).toEqual([
    ["big", ["1", "2"], 30],
    ["small", ["1"], 5],
  ]);
  expect(spans.map(({ at, minutes, charge }) => [at, minutes, charge.input])).toEqual([
    ["2026-01-01T00:00:00.000Z", 1, 30],
    ["2026-01-01T00:02:00.000Z", 1, 5],
  ]);
});

it("is nothing of nobody", () => {
  const { agents, causes, models, spans } = joinCharges([]);
  expect([agents.size, causes.size, models.size, spans.length]).toEqual([0, 0, 0, 0]);
});
