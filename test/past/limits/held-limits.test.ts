import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NewEvent } from "../../../src/domain/event/event.ts";
import type { Limits, LimitsChoice } from "../../../src/domain/limits.ts";
import { limitsHeld, limitsNotice } from "../../../src/past/limits/held-limits.ts";
import { account, createLedger } from "../../../src/past/ledger.ts";

/** What an agent may spend whose start said `started`, once these stand in its log. */
function held(started: Limits, ...events: readonly NewEvent[]): Limits {
  const ledger = createLedger();
  events.forEach((event, index) =>
    account(ledger, { ...event, seq: index + 1, epoch: 1, at: "2026-11-28T20:00:00.000Z" }),
  );
  return limitsHeld(started, ledger.limits);
}

const notice = (reason: "adopted" | "foreign" | "limits", details?: unknown): NewEvent => ({
  ...{ kind: "notice", reason, content: "" },
  details,
});

describe("a word about what an agent may spend", () => {
  const started = { steps: 500, cost: 2 };

  it("holds in the place of what its start said, limit by limit, and none lifts one", () => {
    expect(held(started)).toBe(started);
    expect(held(started, limitsNotice({ steps: 600 }, started))).toEqual({ steps: 600, cost: 2 });
    expect(held(started, limitsNotice({ steps: "none", tokens: 9 }, started))).toEqual({
      ...{ tokens: 9, cost: 2 },
    });
    expect(limitsNotice({ steps: 600 }, started).content).toBe("600 steps, 2 USD");
  });

  it("is joined by the next one", () => {
    const first = limitsNotice({ steps: 600 }, started);
    const second = limitsNotice({ cost: 3 }, started, first.details);
    expect(held(started, first, second)).toEqual({ steps: 600, cost: 3 });
  });

  it("is over where a later start says something else of it, and of nothing else", () => {
    const word = limitsNotice({ steps: 600, cost: 3 }, started);
    expect(held({ steps: 40, cost: 2 }, word)).toEqual({ steps: 40, cost: 3 });
    expect(held({ steps: 500 }, word)).toEqual({ steps: 600 });
    const again = limitsNotice({ tokens: 7 }, { steps: 40, cost: 2 }, word.details);
    expect(held(started, word, again), "nor does it come back with the old one").toEqual({
      ...{ steps: 500, cost: 3, tokens: 7 },
    });
  });

  it("is none where its log came from elsewhere, or it is another agent's past", () => {
    const word = limitsNotice({ steps: 600 }, started);
    expect(held(started, word, notice("adopted"))).toBe(started);
    expect(held(started, word, notice("foreign"))).toBe(started);
    const copied: NewEvent = { kind: "branch", to: 1, origin: "1" };
    expect(held(started, word, copied)).toBe(started);
    expect(held(started, word, notice("adopted"), word)).toEqual({ steps: 600, cost: 2 });
  });

  it.each([undefined, null, 7, "steps=9", {}, { limits: { steps: -1, cost: "much" } }, { limits: [] }])(
    "that is none, such as %j, changes nothing",
    (details) => {
      const word = limitsNotice({ steps: 600 }, started);
      expect(held(started, word, notice("limits", details))).toEqual({ steps: 600, cost: 2 });
    },
  );

  it("leaves, of any words, the newest of each limit since the start that holds said so", () => {
    const amount = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant("none" as const));
    const said: fc.Arbitrary<LimitsChoice> = fc.record(
      { steps: amount, tokens: amount },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(said, { maxLength: 6 }), (words) => {
        let [before, expected] = [
          undefined as ReturnType<typeof limitsNotice>["details"] | undefined,
          started as Limits,
        ];
        const notices = words.map((choice) => {
          const one = limitsNotice(choice, started, before);
          before = one.details;
          for (const member of ["steps", "tokens"] as const) {
            const amount = choice[member];
            if (amount !== undefined)
              expected = { ...expected, [member]: amount === "none" ? undefined : amount };
          }
          return one;
        });
        expect(held(started, ...notices)).toEqual(expected);
      }),
    );
  });
});
