// What stands before every model call: what may be spent.
//
//   G1. A call is admitted only if its counted prompt and its output cap fit into every limit above it; what is
//       admitted is reserved until it is settled, so concurrent calls cannot overrun a limit together.
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
  type Spender,
  type Spent,
} from "../../past/spending.ts";

/** A model call that wants to be made. */
export interface Estimate {
  readonly input: number;
  readonly output: number;
  readonly price: Price | undefined;
}

export interface Admission {
  /** No other call of this size fits after this one. */
  readonly last: boolean;
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

export interface Budget extends CallBudget {
  /** Joins an agent's past and future spending to the legion's; nothing, if nothing is known of it. */
  join(ledger: Ledger | undefined): void;
  /** Counts `ledger` no longer: another one that holds the same has joined, or does so in another process. */
  leave(ledger: Ledger | undefined): void;
  /** What those that are joined have spent. */
  spent(): Spent;
  /** What was spent in this process: by each while it was joined. */
  spentHere(): Spent;
}

/** @param ceiling where the legion's agents are in several processes; else `legion` limits those that are joined */
export function createBudget(legion: Limits, ceiling?: Ceiling): Budget {
  /** With what each had spent when it joined. */
  const joined = new Map<Ledger, Spent>();
  let left = NOTHING;
  const holds = createHolds();
  const spent = (): Spent => [...joined.keys()].map(spentOf).reduce(add, NOTHING);
  const ownOf = (ledger: Ledger): Spent => add(spentOf(ledger), holds.of(ledger));
  const top = ceiling ?? createCeiling(legion, () => add(spent(), holds.all()));
  const admit: Budget["admit"] = async (spender, estimate) => {
    const { ledger, limits } = spender;
    const call = { ...priced(estimate, estimate.price), steps: 1 };
    const own = ownOf(ledger);
    const refusal = exceeded(add(own, call), limits, "this agent");
    if (refusal !== undefined) throw new LegionError("LIMIT", refusal);
    // Before anything is waited for: the next call finds it.
    let release = holds.hold(ledger, call);
    const settle = (): void => {
      release();
      top.settle(spender, ownOf(ledger));
    };
    const reservation = await top.reserve(spender, own, call).catch((error: unknown) => {
      release();
      throw error;
    });
    if (reservation.kind === "refused") {
      release();
      throw new LegionError("LIMIT", reservation.why);
    }
    return {
      last: reservation.last || exceeded(add(own, times(call, 2)), limits, "") !== undefined,
      begin() {
        release();
        release = holds.hold(ledger, priced({ input: 0, output: estimate.output }, estimate.price));
      },
      settle,
    };
  };
  return {
    admit,
    fits: async (spender, estimate) => {
      try {
        (await admit(spender, estimate)).settle();
        return true;
      } catch (error) {
        if (isLegionError(error, "LIMIT")) return false;
        throw error;
      }
    },
    join: (ledger) => void (ledger && joined.set(ledger, spentOf(ledger))),
    leave(ledger) {
      const before = ledger && joined.get(ledger);
      if (!before) return;
      left = add(left, subtract(spentOf(ledger), before));
      joined.delete(ledger);
    },
    spent,
    spentHere: () =>
      [...joined].map(([ledger, before]) => subtract(spentOf(ledger), before)).reduce(add, left),
  };
}

/** What calls under way may still come to, beside what stands in the ledgers. */
function createHolds() {
  const holds = new Set<{ readonly ledger: Ledger; readonly amount: Spent }>();
  const all = (): Spent => [...holds].map(({ amount }) => amount).reduce(add, NOTHING);
  return {
    all,
    of(ledger: Ledger): Spent {
      const own = [...holds].filter((hold) => hold.ledger === ledger);
      return own.map(({ amount }) => amount).reduce(add, NOTHING);
    },
    /** Returns how to let it go. */
    hold(ledger: Ledger, amount: Spent): () => void {
      const hold = { ledger, amount };
      holds.add(hold);
      return () => void holds.delete(hold);
    },
  };
}

/** The limits of a legion in one process; `total` is what all have spent and reserved, a call that is asked for included. */
function createCeiling(limits: Limits, total: () => Spent): Ceiling {
  const isLimited = Object.values(limits).some((limit) => limit !== undefined);
  return {
    reserve(_, __, call) {
      const all = isLimited ? total() : NOTHING;
      const why = exceeded(all, limits, "the legion");
      if (why !== undefined) return Promise.resolve({ kind: "refused", why });
      const last = exceeded(add(all, call), limits, "the legion") !== undefined;
      return Promise.resolve({ kind: "reserved", last });
    },
    settle: () => undefined,
  };
}

function priced({ input, output }: Usage, price: Price | undefined): Spent {
  return { steps: 0, tokens: input + output, cost: price ? mostOf({ input, output }, price) : 0, timeMs: 0 };
}
