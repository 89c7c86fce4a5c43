import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NOTHING, add, type Spent } from "../../../../../src/past/limits/spending.ts";
import { allot, type Claim } from "../../../../../src/storage/folder/person/purse/allot.ts";
import {
  closeAccount,
  exact,
  thisHolder,
  totalOf,
  type Book,
} from "../../../../../src/storage/folder/person/purse/book.ts";

const DAY = "2026-03-14";
const NOON = new Date(2026, 2, 14, 12).getTime();

function usd(cost: number): Spent {
  return { ...NOTHING, cost };
}

function emptyBook(): Book {
  return { spent: new Map(), open: new Map() };
}

function claim(used: Spent, call: Spent, more: Partial<Claim> = {}): Claim {
  return { id: "mine", day: DAY, atMs: NOON, used, call, allotted: undefined, ...more };
}

function openIn(book: Book, id: string, allotted: Spent, day = DAY): void {
  book.open.set(id, { home: `/${id}`, day, allotted, by: thisHolder() });
}

describe("an allotment", () => {
  it("is the eighth part of what is left, at least two calls, at most what is left", () => {
    const given = (used: number, call: number): number | "refused" => {
      const outcome = allot(emptyBook(), { day: { cost: 8 } }, claim(usd(used), usd(call)));
      return outcome.kind === "allotted" ? outcome.allotted.cost : outcome.kind;
    };
    expect([given(0, 0.1), given(0, 0.9), given(4, 0.1), given(6, 1.5), given(7, 1), given(7, 1.1)]).toEqual([
      1,
      1.8,
      4.5,
      8,
      8,
      "refused",
    ]);
  });

  it("says of the last call that fits that it is the last", () => {
    const last = (used: number): boolean => {
      const outcome = allot(emptyBook(), { day: { cost: 1 } }, claim(usd(used), usd(0.3)));
      return outcome.kind === "allotted" && outcome.last;
    };
    expect([last(0), last(0.4), last(0.41), last(0.7)]).toEqual([false, false, true, true]);
  });

  it("counts what others have spent and set aside, of the day and of the month", () => {
    const book = emptyBook();
    openIn(book, "other", usd(2));
    openIn(book, "yesterday", usd(3), "2026-03-13");
    openIn(book, "closed", usd(9));
    closeAccount(book, "closed", usd(0.5));
    openIn(book, "february", usd(100), "2026-02-28");
    const outcome = (day: number, month: number) =>
      allot(book, { day: { cost: day }, month: { cost: month } }, claim(NOTHING, usd(1)));
    expect(outcome(3.5, 6.5)).toMatchObject({ kind: "allotted", last: true, allotted: { cost: 1 } });
    expect(outcome(3.4, 6.5)).toMatchObject({ kind: "refused", limit: "cost" });
    expect(outcome(3.5, 6.4)).toMatchObject({ kind: "refused", limit: "cost" });
  });

  it("is never less than before, unless the person lowered a limit", () => {
    const before = claim(usd(1), usd(0.1), { allotted: usd(5) });
    expect(allot(emptyBook(), { day: { cost: 8 } }, before)).toMatchObject({ allotted: { cost: 5 } });
    expect(allot(emptyBook(), { day: { cost: 2 } }, before)).toMatchObject({ allotted: { cost: 2 } });
  });

  it("adds up tenths of dollars as people do", () => {
    let used = NOTHING;
    for (let calls = 1; calls <= 10; calls++) {
      const outcome = allot(emptyBook(), { day: { cost: 1 } }, claim(used, usd(0.1)));
      expect([calls, outcome.kind]).toEqual([calls, "allotted"]);
      used = exact(add(used, usd(0.1)));
    }
    expect(allot(emptyBook(), { day: { cost: 1 } }, claim(used, usd(0.000000001))).kind).toBe("refused");
  });
});

describe("a refusal", () => {
  it("says which limit, whose it is, what it leaves and until when", () => {
    const book = emptyBook();
    const refused = allot(book, { day: { cost: 5 } }, claim(usd(4.97), usd(0.04)));
    expect(refused).toEqual({
      kind: "refused",
      limit: "cost",
      why: "your agents in all projects may spend 5 USD a day, as your own config.yaml says, which leaves 0.03 USD until midnight",
      until: new Date(2026, 2, 15).toISOString(),
    });
    openIn(book, "other", usd(1));
    const aside = allot(book, { month: { cost: 5, steps: 2 } }, claim(usd(3.97), usd(0.04)));
    expect(aside).toMatchObject({
      why: "your agents in all projects may spend 5 USD a month, as your own config.yaml says, which leaves 0.03 USD until the end of the month; others have set some aside, as `legion doctor` says",
      until: new Date(2026, 3, 1).toISOString(),
    });
  });

  it("of two is that of the month: the end of the day would be no help", () => {
    const both = { day: { steps: 1 }, month: { steps: 1 } };
    expect(allot(emptyBook(), both, claim({ ...NOTHING, steps: 1 }, { ...NOTHING, steps: 1 }))).toMatchObject(
      {
        until: new Date(2026, 3, 1).toISOString(),
      },
    );
  });
});

it("whoever asks for what in which order: what is allotted and spent stays within the limits (G10)", () => {
  const anyAmount = fc.record({ steps: fc.constant(1), tokens: fc.nat(500), cost: fc.nat(200) });
  const anyRequest = fc.record({
    home: fc.constantFrom("a", "b", "c"),
    day: fc.constantFrom("2026-03-13", "2026-03-14"),
    amount: anyAmount,
    closes: fc.boolean(),
  });
  const limits = { day: { cost: 1, steps: 20 }, month: { cost: 1.5, tokens: 4_000 } };
  fc.assert(
    fc.property(fc.array(anyRequest, { maxLength: 60 }), (requests) => {
      const book = emptyBook();
      const used = new Map<string, Spent>();
      for (const { home, day, amount, closes } of requests) {
        const id = `${home} ${day}`;
        const call = { ...amount, cost: amount.cost / 1_000, timeMs: 0 };
        const own = used.get(id) ?? NOTHING;
        const allotted = book.open.get(id)?.allotted;
        const outcome = allot(book, limits, claim(own, call, { id, day, allotted }));
        if (outcome.kind === "allotted") {
          used.set(id, exact(add(own, call)));
          openIn(book, id, outcome.allotted, day);
        }
        if (closes && book.open.has(id)) {
          closeAccount(book, id, used.get(id)!);
          used.delete(id);
        }
        const month = totalOf(book, () => true);
        expect(exact(add(month.spent, month.allotted)).cost).toBeLessThanOrEqual(1.5);
        expect(exact(add(month.spent, month.allotted)).tokens).toBeLessThanOrEqual(4_000);
        const today = totalOf(book, (on) => on === day);
        expect(exact(add(today.spent, today.allotted)).cost).toBeLessThanOrEqual(1);
        expect(today.spent.steps + today.allotted.steps).toBeLessThanOrEqual(20);
      }
    }),
  );
});
