// What a process knows of its accounts: what its agents have spent and reserved from each. Of an agent its whole spending is
// noted, never a difference: what it had spent before it came to an account is nothing to that one.

import { randomUUID } from "node:crypto";
import { dayOf, nextDay } from "../../../../base/calendar.ts";
import type { Clock } from "../../../../base/clock.ts";
import type { Ledger } from "../../../../past/ledger.ts";
import {
  NOTHING,
  add,
  exceeded,
  subtract,
  type Reserved,
  type SpenderId,
  type Spent,
} from "../../../../past/limits/spending.ts";
import { exact, type Measure } from "./book.ts";

/** What this process may spend of one day's purse. */
export interface OwnAccount {
  readonly id: string;
  readonly day: string;
  readonly openedMs: number;
  /** When the day is over. */
  readonly endMs: number;
  /** What the book says that it may come to; absent: it is not in the book. */
  allotted: Spent | undefined;
  /** Spent, reserved, and asked for. */
  used: Spent;
  /** The part of it that calls wait for. */
  asked: Spent;
  /** How many wait or are reserved. */
  calls: number;
}

/** Would `amount` stay within what is allotted, beside all that is spent and reserved? `limited`: what is looked at. */
export function hasRoom(
  { allotted = NOTHING, used, asked }: OwnAccount,
  amount: Spent,
  limited: readonly Measure[],
): boolean {
  const bounds = Object.fromEntries(limited.map((measure) => [measure, allotted[measure]]));
  return exceeded(exact(add(subtract(used, asked), amount)), bounds, "") === undefined;
}

/** One for each day, the newest is paid from. */
export function createAccounts(clock: Clock) {
  let current = open(clock.now());
  let earlier: readonly OwnAccount[] = [];
  return {
    today(): OwnAccount {
      if (clock.now() < current.endMs) return current;
      earlier = [...earlier, current];
      return (current = open(clock.now()));
    },
    all: (): readonly OwnAccount[] => [...earlier, current],
    /** Forgets those from which nobody pays any more, if `close` does what has to be done with them. */
    async closing<T>(close: (over: readonly OwnAccount[]) => Promise<T>): Promise<T> {
      const over = earlier.filter(({ calls }) => calls === 0);
      const outcome = await close(over);
      earlier = earlier.filter((account) => !over.includes(account));
      return outcome;
    },
  };
}

function open(nowMs: number): OwnAccount {
  return {
    id: randomUUID(),
    day: dayOf(nowMs),
    openedMs: nowMs,
    endMs: nextDay(nowMs),
    allotted: undefined,
    used: NOTHING,
    asked: NOTHING,
    calls: 0,
  };
}

/** An agent, as long as it is run under one right. */
interface Customer {
  account: OwnAccount;
  /** What it has spent, reserved and asked for in all, as it was noted last. */
  own: Spent;
  calls: number;
}

/** A call that somebody wants to pay. */
export interface PayableCall {
  readonly account: OwnAccount;
  readonly call: Spent;
  /** `last`: nothing is left for another one. */
  reserve(place?: "last"): Reserved;
  withdraw(): void;
}

/** Who pays from which account. */
export function createCustomers() {
  /** By ledger: nothing is held of those that have gone. */
  const customers = new WeakMap<Ledger, Customer>();
  const note = (customer: Customer, own: Spent): void => {
    const { account } = customer;
    const now = exact(own);
    account.used = exact(subtract(add(account.used, now), customer.own));
    customer.own = now;
  };
  const count = (customer: Customer, by: 1 | -1): void => {
    customer.calls += by;
    customer.account.calls += by;
  };
  return {
    /**
     * Somebody who has spent and reserved `own` asks for a call. It is paid from `today`, unless calls of the same agent are
     * under way that are paid from an earlier account: what they come to belongs there.
     */
    ask(
      { ledger }: SpenderId,
      own: Spent,
      { call, today }: { readonly call: Spent; readonly today: OwnAccount },
    ): PayableCall {
      const customer = customers.get(ledger) ?? { account: today, own: exact(own), calls: 0 };
      customers.set(ledger, customer);
      note(customer, own);
      if (customer.calls === 0) customer.account = today;
      const { account } = customer;
      count(customer, 1);
      note(customer, add(own, call));
      account.asked = exact(add(account.asked, call));
      const answer = (): void => void (account.asked = exact(subtract(account.asked, call)));
      return {
        account,
        call,
        reserve(place) {
          answer();
          return { kind: "reserved", last: place === "last", purse: account.allotted && account.id };
        },
        withdraw() {
          answer();
          note(customer, subtract(customer.own, call));
          count(customer, -1);
        },
      };
    },
    /** A call is over: its agent has spent and reserved `own` in all. */
    settle({ ledger }: SpenderId, own: Spent): void {
      const customer = customers.get(ledger);
      if (!customer) return;
      note(customer, own);
      count(customer, -1);
    },
  };
}
