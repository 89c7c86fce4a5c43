// How much of a purse an account is given: enough for the call that asks and one more of its size, and a share of what is
// left, so that few calls have to ask. Pure.

import { monthOf, nextDay, nextMonth } from "../../../../base/calendar.ts";
import { formatLimits, type Limits, type PurseLimits } from "../../../../domain/limits.ts";
import { add, exceeded, type Excess, type Refused, type Spent } from "../../../../past/limits/spending.ts";
import { MEASURES, exact, totalOf, type Book, type Measure } from "./book.ts";

/** A call that wants to be paid from an account. */
export interface Claim {
  readonly id: string;
  readonly day: string;
  /** A moment of that day, in milliseconds since 1970. */
  readonly atMs: number;
  /** What the account has spent and reserved, without the call. */
  readonly used: Spent;
  readonly call: Spent;
  /** What it may come to so far: it is given less only where the person lowered a limit. */
  readonly allotted: Spent | undefined;
}

export interface Allotted {
  readonly kind: "allotted";
  /** What the account may come to in all. */
  readonly allotted: Spent;
  /** Nothing is left for another call of this size. */
  readonly last: boolean;
}

export interface Period {
  readonly name: "day" | "month";
  readonly limits: Limits;
  /** Does the day belong to it? */
  isIn(day: string): boolean;
  /** Milliseconds since 1970. */
  readonly endMs: number;
}

/** An account is given the eighth part of what is left: what one project has set aside is missing to the others. */
const SHARE = 8;

/** What the account may come to from now on, or which limit the call would break: of two, the one that lasts longer. */
export function allot(book: Book, purse: PurseLimits, claim: Claim): Allotted | Refused {
  const wanted = exact(add(claim.used, claim.call));
  const another = exact(add(wanted, claim.call));
  const room: { [One in Measure]?: number } = {};
  for (const period of periodsOf(purse, claim)) {
    const { spent, allotted } = totalOf(book, period.isIn, claim.id);
    const others = exact(add(spent, allotted));
    const excess = exceeded(exact(add(others, wanted)), period.limits, "your agents in all projects");
    if (excess) return { kind: "refused", ...inWords(excess, period, { others, allotted, own: claim.used }) };
    for (const measure of MEASURES) {
      const limit = period.limits[measure];
      if (limit !== undefined) room[measure] = Math.min(room[measure] ?? Infinity, limit - others[measure]);
    }
  }
  const given = (measure: Measure): number => {
    const most = room[measure];
    // What nobody limits is written down as it goes.
    if (most === undefined) return wanted[measure];
    const had = claim.allotted?.[measure] ?? 0;
    const share = (most - claim.used[measure]) / SHARE;
    const wish = claim.used[measure] + (measure === "cost" ? share : Math.floor(share));
    return Math.min(most, Math.max(another[measure], wish, had));
  };
  const allotted = { steps: given("steps"), tokens: given("tokens"), cost: given("cost"), timeMs: 0 };
  return { kind: "allotted", allotted: exact(allotted), last: exceeded(another, room, "") !== undefined };
}

/** The longer one first: it is no use to wait for the end of a day in a month that is used up. */
export function periodsOf({ day, month }: PurseLimits, at: Pick<Claim, "day" | "atMs">): readonly Period[] {
  const thisMonth = monthOf(at.day);
  return [
    {
      name: "month",
      limits: month ?? {},
      isIn: (other) => monthOf(other) === thisMonth,
      endMs: nextMonth(at.atMs),
    },
    { name: "day", limits: day ?? {}, isIn: (other) => other === at.day, endMs: nextDay(at.atMs) },
  ];
}

function inWords(
  { limit, why }: Excess,
  { name, limits, endMs }: Period,
  { others, allotted, own }: { readonly others: Spent; readonly allotted: Spent; readonly own: Spent },
): Excess {
  const measure = MEASURES.find((one) => one === limit)!;
  const left = Math.max(0, limits[measure]! - exact(add(others, own))[measure]);
  const shown = formatLimits({ [measure]: measure === "cost" ? Number(left.toFixed(4)) : left });
  const aside = allotted[measure] > 0 ? "; others have set some aside, as `legion doctor` says" : "";
  const end = name === "day" ? "midnight" : "the end of the month";
  return {
    limit,
    why: `${why} a ${name}, as your own config.yaml says, which leaves ${shown} until ${end}${aside}`,
    until: new Date(endMs).toISOString(),
  };
}
