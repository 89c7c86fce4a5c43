import fc from "fast-check";
import { expect, it } from "vitest";
import type { Event, NewEvent } from "../../../src/domain/event/event.ts";
import { createDigest } from "../../../src/past/digest/digest.ts";
import { partsOf, type GrowingCounts } from "../../../src/past/digest/counts.ts";
import { account, createLedger } from "../../../src/past/ledger.ts";
import { decision, mail, numbered, opened, prompted, result } from "../spans/story.ts";
import { anyLog } from "./any-log.ts";

function countsOf(log: readonly Event[]): GrowingCounts {
  const fold = createDigest();
  for (const event of log) fold.see(event);
  return fold.digest.outcomes;
}

/** How many calls of each outcome, by model. */
function calls(counts: GrowingCounts): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [name, n] of counts) {
    const [family, model, outcome, bucket] = partsOf(name);
    const key = `${model} ${outcome}`;
    if (family === "call" && bucket !== "sum") found[key] = (found[key] ?? 0) + n;
  }
  return found;
}

const at = (counts: GrowingCounts, ...parts: readonly string[]): number | undefined =>
  counts.get(JSON.stringify(parts));

const MODEL = "anthropic/m-1";

it("counts each model call once it is over, by what came of it and how long it took", () => {
  const refused: NewEvent = { kind: "refused", prompted: 3, status: 429 };
  const counts = countsOf(
    numbered([
      ...[opened(), mail("0>1#1"), prompted(), refused, prompted(70), prompted(), decision(["a"])],
      ...[prompted(5, "a"), prompted(5, "a"), result("a", "ok", { usage: { input: 40, output: 2 } })],
      ...[prompted(), decision([], { stop: "unparsed" }), result(null, "error"), prompted()],
      ...[opened(), prompted(), decision([], { stop: "refused" }), prompted()],
    ]),
  );
  expect(calls(counts)).toEqual({
    [`${MODEL} refused`]: 1,
    [`${MODEL} no_answer`]: 1,
    [`${MODEL} answered`]: 3,
    [`${MODEL} unparsed`]: 1,
    [`${MODEL} declined`]: 1,
    [`${MODEL} interrupted`]: 1,
  });
  expect(at(counts, "call", MODEL, "refused", "sum")).toBe(1_000);
  // One that nobody answered is charged what was reserved; the newest is not known yet.
  expect(at(counts, "charged", MODEL, "input")).toBe(70 + 90 + 40 + 90 + 100 + 90);
  expect(at(counts, "told", MODEL, "input", "sum")).toBe(90 + 40 + 90 + 90);
  expect([at(counts, "action", "ok", "sum"), at(counts, "action", "error", "sum")]).toEqual([3_000, 1_000]);
});

it("no number ever goes back, whatever a log says, and all that is settled is in it", () =>
  fc.assert(
    fc.property(anyLog, (log) => {
      const fold = createDigest();
      const ledger = createLedger();
      let before: GrowingCounts = new Map();
      for (const event of log) {
        fold.see(event);
        account(ledger, event);
        const now = new Map(fold.digest.outcomes);
        if (event.kind !== "branch" || event.origin === undefined)
          for (const [name, n] of before) expect(now.get(name)).toBeGreaterThanOrEqual(n);
        before = now;
      }
      const charged = (field: string): number =>
        [...before].reduce((sum, [name, n]) => {
          const [family, , of] = partsOf(name);
          return family === "charged" && of === field ? sum + n : sum;
        }, 0);
      expect(charged("input")).toBeCloseTo(ledger.spent.usage.input, 6);
      expect(charged("cost")).toBeCloseTo(ledger.spent.usage.cost ?? 0, 6);
    }),
    { numRuns: 300 },
  ));
