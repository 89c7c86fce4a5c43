import { describe, expect, it } from "vitest";
import type { Event, NewEvent } from "../../../../src/domain/event/event.ts";
import { createGuesses } from "../../../../src/past/digest/charges/guesses.ts";
import { createDigest } from "../../../../src/past/digest/digest.ts";
import type { Wasted, WasteName } from "../../../../src/past/digest/charges/waste.ts";
import { decided, prompted, taken } from "../any-log.ts";

/** One a second. */
function logOf(events: readonly NewEvent[]): readonly Event[] {
  return events.map((event, index) => {
    const at = new Date(Date.parse("2026-01-01T00:00:00.000Z") + index * 1_000).toISOString();
    return { ...event, seq: index + 1, epoch: 1, at };
  });
}

function wasteOf(...events: readonly NewEvent[]): ReadonlyMap<WasteName, Wasted> {
  const fold = createDigest();
  for (const event of logOf(events)) fold.see(event);
  return fold.digest.waste.sums;
}

const look = (id: string, path = "a") => ({ id, action: "readFile", parameters: { path } });
const found = (call: string, content = "same"): NewEvent => ({
  kind: "result",
  call,
  outcome: "ok",
  content,
});
const summary = (covers: readonly [number, number], input = 100): NewEvent => ({
  ...{ kind: "summary", covers, content: "", strategy: "legion" },
  usage: { input, output: 0, cost: 1 },
});

describe("what brought nothing", () => {
  it("is an answer without a readable action", () => {
    expect(wasteOf(prompted(5), decided(100, { stop: "unparsed" }), prompted(5), decided(50))).toEqual(
      new Map([["unreadable", { tokens: 101, cost: 0.1 }]]),
    );
  });

  it("is a call without an answer that is made again, and none that was refused", () => {
    const refused: NewEvent = { kind: "refused", prompted: 1 };
    expect(wasteOf(prompted(5), refused, prompted(7), prompted(7), decided(6))).toEqual(
      new Map([["retried", { tokens: 7, cost: 0.007 }]]),
    );
    expect(wasteOf(prompted(7), prompted(7)).get("retried")?.tokens).toBe(7);
    // As earlier versions wrote it, an action's calls bear no name: its result tells of all of them.
    const told: NewEvent = { ...found("a"), usage: { input: 20, output: 1 } } as NewEvent;
    expect(wasteOf(prompted(7), prompted(7), told)).toEqual(new Map());
  });

  it("is a decision of which every call came to the same for the third time, until something new is said", () => {
    const again = [decided(10, { calls: [look("a")] }), found("a")];
    expect(wasteOf(...again, ...again)).toEqual(new Map());
    expect(wasteOf(...again, ...again, ...again, ...again).get("looped")?.tokens).toBe(22);
    expect(wasteOf(...again, ...again, taken(1), ...again)).toEqual(new Map());
    const both = [decided(10, { calls: [look("a"), look("b", "b")] }), found("a"), found("b", "new")];
    expect(wasteOf(...again, ...again, ...both)).toEqual(new Map());
  });

  it("is a summary of what was summarised before, as far as it was, and one that is not kept", () => {
    expect(wasteOf(summary([1, 10]), summary([11, 20]))).toEqual(new Map());
    expect(wasteOf(summary([1, 10]), summary([1, 20])).get("summarised")).toEqual({ tokens: 50, cost: 0.5 });
    expect(wasteOf(summary([1, 5]), summary([9, 10]), summary([1, 10])).get("summarised")?.tokens).toBe(70);
    expect(wasteOf(summary([0, 0])).get("summarised")?.tokens).toBe(100);
  });

  it("is nothing of another agent's past", () => {
    const branch: NewEvent = { kind: "branch", to: 1, origin: "2" };
    expect(wasteOf(decided(100, { stop: "unparsed" }), branch)).toEqual(new Map());
  });
});

describe("what was probably in vain", () => {
  const guessesOf = (...events: readonly NewEvent[]) => {
    const fold = createGuesses();
    for (const event of logOf(events)) fold.see(event);
    return fold.guesses;
  };
  const introduced = (introduction: string, model = "big"): NewEvent => ({
    ...(prompted(5, { model }) as NewEvent & { kind: "prompted" }),
    introduction,
  });
  const answered = (input: number, cacheRead?: number): NewEvent =>
    decided(input, { usage: { input, output: 1, ...(cacheRead && { cacheRead }) } });

  it("is a file that is read again as it was", () => {
    const read = [decided(1, { calls: [look("a")] }), found("a", "x".repeat(400))];
    expect(guessesOf(...read).reread).toEqual({ times: 0, tokens: 0 });
    expect(guessesOf(...read, ...read, ...read).reread).toEqual({ times: 2, tokens: 200 });
    expect(guessesOf(...read, decided(1, { calls: [look("a")] }), found("a", "y")).reread.times).toBe(0);
    expect(guessesOf(...read, decided(1, { calls: [look("a", "b")] }), found("a", "y")).reread.times).toBe(0);
  });

  it("is what a provider's cache did not serve, with what lost it", () => {
    const first = [introduced("one"), answered(10_000, 5_000)];
    expect(guessesOf(...first, introduced("one"), answered(12_000, 10_000)).uncached).toEqual(new Map());
    expect(guessesOf(...first, introduced("two"), answered(12_000)).uncached).toEqual(
      new Map([["introduction", { times: 1, tokens: 10_000 }]]),
    );
    expect([...guessesOf(...first, introduced("one", "small"), answered(9_000)).uncached]).toEqual([
      ["model", { times: 1, tokens: 9_000 }],
    ]);
    expect([
      ...guessesOf(...first, summary([1, 2]), introduced("one"), answered(4_000, 1_000)).uncached,
    ]).toEqual([["summary", { times: 1, tokens: 3_000 }]]);
    expect([...guessesOf(...first, introduced("one"), answered(12_000)).uncached.keys()]).toEqual([
      "unknown",
    ]);
  });

  it("is nothing where no provider tells of a cache", () => {
    expect(
      guessesOf(introduced("one"), answered(9_000), introduced("two"), answered(9_000)).uncached.size,
    ).toBe(0);
  });
});
