import { describe, expect, it } from "vitest";
import type { Event } from "../../../src/domain/event/event.ts";
import { createTakenBack, isTakenBack } from "../../../src/past/digest/taken-back.ts";

const AT = Date.parse("2026-03-01T00:00:00.000Z");

interface Step {
  readonly path: string;
  readonly events: readonly string[];
}

/** Both notices of an undo: the plan by that number, and its end by the next one. */
function undone(seq: number, steps: readonly Step[], left: readonly string[] = []): readonly Event[] {
  const notice = (n: number, reason: "undo" | "undone", details: object): Event => ({
    ...{ kind: "notice", seq: n, epoch: 1, at: new Date(AT + n * 1_000).toISOString() },
    ...{ reason, content: "", details: { undo: `undo ${seq}`, ...details } },
  });
  return [
    notice(seq, "undo", { steps }),
    notice(seq + 1, "undone", { left: left.map((path) => ({ path })) }),
  ];
}

/** Each event is seen by one that goes on from what the one before kept. */
function seen(...events: readonly (readonly Event[])[]) {
  let fold = createTakenBack();
  for (const event of events.flat()) {
    fold.see(event);
    fold = createTakenBack(JSON.parse(JSON.stringify(fold.pack())) as ReturnType<typeof fold.pack>);
  }
  return (event: string, path?: string, atMs = AT) => isTakenBack(fold.takenBack, { event, atMs, path });
}

describe("what was taken back", () => {
  it("is what the steps of an undo name, of those paths", () => {
    const has = seen(undone(5, [{ path: "a", events: ["1.7", "2.3"] }]));
    expect([has("1.7"), has("1.7", "a"), has("2.3")]).toEqual([true, true, true]);
    expect([has("1.7", "b"), has("1.8")]).toEqual([false, false]);
  });

  it("is not what an undo left, nor what one that has not ended is to take back", () => {
    const steps = [
      { path: "a", events: ["1.7"] },
      { path: "b", events: ["1.7"] },
    ];
    const left = seen(undone(5, steps, ["a"]));
    expect([left("1.7", "a"), left("1.7", "b")]).toEqual([false, true]);
    expect(seen(undone(5, steps).slice(0, 1))("1.7")).toBe(false);
  });

  it("is there again where its undo was taken back, and gone where that was", () => {
    const first = undone(5, [
      { path: "a", events: ["1.7"] },
      { path: "b", events: ["1.7"] },
    ]);
    const second = undone(8, [{ path: "a", events: ["0.5"] }]);
    const third = undone(11, [{ path: "a", events: ["0.8"] }]);
    const brought = seen(first, second);
    expect([brought("1.7", "a"), brought("1.7", "b")]).toEqual([false, true]);
    expect(seen(first, second, third)("1.7", "a")).toBe(true);
    // All of them at once, newest first, as somebody undoes the first one's message once more.
    const onceMore = undone(14, [{ path: "a", events: ["0.11", "0.8", "0.5"] }]);
    expect(seen(first, second, third, onceMore)("1.7", "a")).toBe(false);
  });

  it("is nothing that an agent of the same number did later", () => {
    expect(seen(undone(5, [{ path: "a", events: ["1.7"] }]))("1.7", "a", AT + 3_600_000)).toBe(false);
  });

  it("is nothing that earlier versions took back: they named no results", () => {
    const old = undone(5, [{ path: "a" } as Step]);
    expect(seen(old)("1.7")).toBe(false);
  });
});
