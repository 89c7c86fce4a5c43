// What stands before every model call: what may be spent.
//
//   G1. A call is admitted only if its counted prompt and its output cap fit into every limit above it: the agent's, the
//       legion's, the person's. What is admitted is reserved until it is settled, so concurrent calls cannot overrun a limit
//       together; what a later one of them refuses is given back to those before it.
//   G2. What was spent is the sum over the logs: a restart changes nothing.

import { LegionError, isLegionError } from "../../base/errors.ts";
import type { Ledger } from "../../past/ledger.ts";
import type { Usage } from "../../domain/event/event.ts";
import type { Limits } from "../../domain/limits.ts";
import type { Price } from "../../domain/model.ts";
import {
  NOTHING,
  add,
  exceeded,
  mostOf,
  spentOf,
  subtract,
  times,
  type Ceiling,
  type Excess,
  type LegionCeiling,
  type Reservation,
  type Reserved,
  type Spender,
  type Spent,
} from "../../past/limits/spending.ts";

/** A model call that wants to be made. */
export interface Estimate {
  readonly input: number;
  readonly output: number;
  readonly price: Price | undefined;
}

export interface Admission {
  /** No other call of this size fits after this one. */
  readonly last: boolean;
  /** The account of the person's purse that it is paid from. */
  readonly purse?: string;
  /** Call it in the same turn in which the ledger takes in that the call is begun. */
  begin(): void;
  /** Call it as soon as the ledger holds what the call came to, or when it is not made. */
  settle(): void;
}

/** What stands before every model call. */
export interface CallBudget {
  /** Rejects with LIMIT, naming the limit, if the call does not fit. */
  admit(spender: Spender, estimate: Estimate): Promise<Admission>;
  /** Would the call be admitted now? */
  fits(spender: Spender, estimate: Estimate): Promise<boolean>;
}

export interface Budget extends CallBudget, Pick<LegionCeiling, "limit"> {
  /** Joins an agent's past and future spending to the legion's. */
  join(ledger: Ledger): void;
  /** Includes what stands in a ledger that has joined, and follows it no longer. Returns how to count it no longer. */
  leave(ledger: Ledger): () => void;
  /** Counts besides what somebody has spent who spends no more. Returns how to count it no longer. */
  include(amount: Spent): () => void;
  /** What those that are joined have spent, and what is included. */
  spent(): Spent;
  /** What was spent in this process: by each while it was joined. */
  spentHere(): Spent;
}

/**
 * @param kept where the legion's agents are in several processes; else `legion` limits those that are joined
 * @param above what is above the legion, nearest first
 */
export function createBudget(legion: Limits, kept?: LegionCeiling, ...above: readonly Ceiling[]): Budget {
  /** With what each had spent when it joined. */
  const joined = new Map<Ledger, Spent>();
  let left = NOTHING;
  const { included, include } = createInclusion();
  const holds = createHolds();
  const spent = (): Spent => [...joined.keys()].map(spentOf).reduce(add, included());
  const ownOf = (ledger: Ledger, at?: Ceiling): Spent => add(spentOf(ledger), holds.of(ledger, at));
  const ceiling = kept ?? createCeiling(legion, () => add(spent(), holds.all()));
  const ceilings = [ceiling, ...above];
  const admit: Budget["admit"] = async (spender, estimate) => {
    const { ledger, limits } = spender;
    const call = { ...priced(estimate, estimate.price), steps: 1 };
    const own = ownOf(ledger);
    const excess = exceeded(add(own, call), limits, "this agent");
    if (excess) throw refusal(excess);
    // Before anything is waited for: the next call finds it.
    const hold = holds.take(ledger, call);
    const settle = (): void => {
      hold.release();
      for (const ceiling of [...hold.at].reverse()) ceiling.settle(spender, ownOf(ledger, ceiling));
    };
    const reserved: Reserved[] = [];
    for (const ceiling of ceilings) {
      try {
        const before = ownOf(ledger, ceiling);
        hold.at.add(ceiling);
        reserved.push(unrefused(await ceiling.reserve(spender, before, call)));
      } catch (error) {
        hold.at.delete(ceiling);
        settle();
        throw error;
      }
    }
    const isLast = exceeded(add(own, times(call, 2)), limits, "") !== undefined;
    return {
      last: isLast || reserved.some(({ last }) => last),
      purse: reserved.find(({ purse }) => purse !== undefined)?.purse,
      begin: () => hold.shrink(priced({ input: 0, output: estimate.output }, estimate.price)),
      settle,
    };
  };
  return {
    admit,
    limit: ceiling.limit,
    fits: (spender, estimate) => isAdmitted(admit(spender, estimate)),
    join: (ledger) => void joined.set(ledger, spentOf(ledger)),
    leave(ledger) {
      const amount = spentOf(ledger);
      left = add(left, subtract(amount, joined.get(ledger) ?? amount));
      joined.delete(ledger);
      return include(amount);
    },
    include,
    spent,
    spentHere: () =>
      [...joined].map(([ledger, before]) => subtract(spentOf(ledger), before)).reduce(add, left),
  };
}

async function isAdmitted(admission: Promise<Admission>): Promise<boolean> {
  try {
    (await admission).settle();
    return true;
  } catch (error) {
    if (isLegionError(error, "LIMIT")) return false;
    throw error;
  }
}

/** Throws LIMIT if it is refused. */
function unrefused(reservation: Reservation): Reserved {
  if (reservation.kind === "refused") throw refusal({ ...reservation, shared: true });
  return reservation;
}

/** What a call under way may still come to, beside what stands in the ledger. */
interface Hold {
  /** Those who know of it: what one of them is told that its agent has reserved does not name what it was not asked for. */
  readonly at: Set<Ceiling>;
  shrink(amount: Spent): void;
  release(): void;
}

/** What those have spent who spend no more. */
function createInclusion() {
  let sum = NOTHING;
  return {
    included: () => sum,
    include(amount: Spent): () => void {
      sum = add(sum, amount);
      return () => void (sum = subtract(sum, amount));
    },
  };
}

function createHolds() {
  const holds = new Map<Hold, { readonly ledger: Ledger; amount: Spent }>();
  const sum = (amounts: readonly { readonly amount: Spent }[]): Spent =>
    amounts.map(({ amount }) => amount).reduce(add, NOTHING);
  return {
    all: (): Spent => sum([...holds.values()]),
    /** @param at only what that one was asked for; absent: everything */
    of(ledger: Ledger, at?: Ceiling): Spent {
      const own = [...holds].filter(([hold, { ledger: by }]) => by === ledger && (!at || hold.at.has(at)));
      return sum(own.map(([, held]) => held));
    },
    take(ledger: Ledger, amount: Spent): Hold {
      const held = { ledger, amount };
      const hold: Hold = {
        at: new Set(),
        shrink: (to) => void (held.amount = to),
        release: () => void holds.delete(hold),
      };
      holds.set(hold, held);
      return hold;
    },
  };
}

/** The limits of a legion in one process; `total` is what all have spent and reserved, a call that is asked for included. */
function createCeiling(first: Limits, total: () => Spent): LegionCeiling {
  let limits = first;
  return {
    reserve(_, __, call) {
      const isLimited = Object.values(limits).some((limit) => limit !== undefined);
      const all = isLimited ? total() : NOTHING;
      const excess = exceeded(all, limits, "the legion");
      if (excess) return Promise.resolve({ kind: "refused", ...excess });
      const last = exceeded(add(all, call), limits, "the legion") !== undefined;
      return Promise.resolve({ kind: "reserved", last });
    },
    settle: () => undefined,
    limit: async (said) => void (limits = said),
  };
}

function refusal({ why, limit, until, shared }: Excess): LegionError {
  return new LegionError("LIMIT", why, { limit, until, shared });
}

function priced({ input, output }: Usage, price: Price | undefined): Spent {
  return { steps: 0, tokens: input + output, cost: price ? mostOf({ input, output }, price) : 0, timeMs: 0 };
}
