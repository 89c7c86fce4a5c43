// What a person lets the agents of all their projects spend together in a day and in a month.
//
//   G10. What is spent and reserved is never above what the book says is allotted, in all processes together, and that never
//       above the limits: an allotment is on the disk before anything is reserved from it.
//   G11. A call is reserved in memory, from what is allotted. It waits for the book, and so for other processes, only where that
//       leaves no room for another one of its size; more is fetched before, while nobody waits.
//   G12. What was allotted and not spent goes back: at an orderly end, after a minute without a call, when the day is over, and
//       of a process that was killed when its home opens again, is deleted, or before another home's call is refused for want
//       of it, by what the logs say was paid from its accounts. A home that is gone says nothing, and nothing is kept for it.
//   G13. A call counts in the day in which it was reserved.

import type { Clock } from "../../../../base/clock.ts";
import { inTurns } from "../../../../base/turns.ts";
import type { PurseLimits } from "../../../../domain/limits.ts";
import {
  times,
  type Ceiling,
  type Refused,
  type Reservation,
  type Reserved,
  type Spent,
} from "../../../../past/limits/spending.ts";
import { createAccounts, createCustomers, hasRoom, type PayableCall, type OwnAccount } from "./account.ts";
import type { Allotted } from "./allot.ts";
import { MEASURES, exact, type Measure } from "./book.ts";
import { openKeeping, type Keeping, type PurseOrder } from "./keeping.ts";

export interface Purse extends Ceiling {
  /** Takes back what earlier processes of this home left; to be called once nobody else can run its agents. */
  begin(): void;
  /** Gives back what is not spent, when no more calls are made. Rejects with STORAGE if that cannot be written down. */
  close(): Promise<void>;
}

/** So long it keeps what it does not need. */
const IDLE_MS = 60_000;

/** Rejects with CONFIG if the book, or what the person says, cannot be relied on. Writes nothing. */
export async function openPurse(order: PurseOrder): Promise<Purse> {
  const { begin, today, fits, fetch, fetchAhead, inTurn, touch, close } = createSupply(
    order.clock,
    await openKeeping(order),
  );
  const customers = createCustomers();
  const reserve = (payable: PayableCall, place?: "last"): Reserved => {
    const reserved = payable.reserve(place);
    if (place !== "last") fetchAhead(payable);
    return reserved;
  };
  const obtain = async (payable: PayableCall): Promise<Reservation> => {
    const { account, call } = payable;
    let place: "last" | undefined;
    // What was fetched may be taken by others before it is reserved.
    while (!fits(account, place === "last" ? call : times(call, 2))) {
      const outcome = await fetch(payable);
      if (outcome.kind === "refused") return outcome;
      place = outcome.last ? "last" : undefined;
    }
    return reserve(payable, place);
  };
  return {
    begin,
    close,
    async reserve(spender, own, amount) {
      touch();
      const payable = customers.ask(spender, own, { call: exact(amount), today: today() });
      if (fits(payable.account, times(payable.call, 2))) return reserve(payable);
      let reservation: Reservation | undefined;
      try {
        return (reservation = await inTurn(() => obtain(payable)));
      } finally {
        if (reservation?.kind !== "reserved") payable.withdraw();
      }
    },
    settle(spender, own) {
      touch();
      customers.settle(spender, own);
    },
  };
}

/** What this process may spend, and how it gets more of it. */
function createSupply(clock: Clock, keeping: Keeping) {
  const inTurn = inTurns();
  const accounts = createAccounts(clock);
  const isBusy = (): boolean => accounts.all().some(({ calls }) => calls > 0);
  const idleness = createIdleness(clock, isBusy, () =>
    inTurn(() => accounts.closing((over) => keeping.giveBack(accounts.today(), over))),
  );
  let begun: Promise<void> = Promise.resolve();
  let ahead: Promise<unknown> | undefined;
  const fits = (account: OwnAccount, amount: Spent): boolean =>
    hasRoom(account, amount, limitedBy(keeping.limits()));
  const fetch = async ({ account, call }: Payment): Promise<Allotted | Refused> => {
    await begun;
    const outcome = await accounts.closing((over) => keeping.allot(account, call, over));
    idleness.watch();
    return outcome;
  };
  return {
    inTurn,
    today: accounts.today,
    touch: idleness.touch,
    fits,
    fetch,
    fetchAhead({ account, call }: Payment): void {
      if (fits(account, times(call, 2))) return;
      // Whoever cannot do without it will hear what is wrong.
      ahead ??= inTurn(() => fetch({ account, call }))
        .catch(() => undefined)
        .finally(() => (ahead = undefined));
    },
    begin(): void {
      const isOwn = (id: string): boolean => accounts.all().some((own) => own.id === id);
      // A log that cannot be read tells nothing: what was left stays so.
      begun = keeping.takeBack(isOwn).catch(() => undefined);
    },
    async close(): Promise<void> {
      idleness.end();
      await inTurn(() => keeping.close(accounts.all()));
    },
  };
}

type Payment = Pick<PayableCall, "account" | "call">;

function limitedBy({ day, month }: PurseLimits): readonly Measure[] {
  return MEASURES.filter((measure) => (day?.[measure] ?? month?.[measure]) !== undefined);
}

/** Calls `giveBack` once there was no call for a minute. */
function createIdleness(clock: Clock, isBusy: () => boolean, giveBack: () => Promise<void>) {
  const ended = new AbortController();
  let busyMs = 0;
  let isWatching = false;
  const untilIdle = async (): Promise<void> => {
    for (;;) {
      if (isBusy()) busyMs = clock.now();
      const leftMs = busyMs + IDLE_MS - clock.now();
      if (leftMs <= 0 || ended.signal.aborted) return;
      await clock.sleep(leftMs, ended.signal);
    }
  };
  return {
    touch: (): void => void (busyMs = clock.now()),
    watch(): void {
      if (isWatching || ended.signal.aborted) return;
      isWatching = true;
      busyMs = clock.now();
      void untilIdle().then(async () => {
        isWatching = false;
        // What cannot be given back now is, after the next call or in the end.
        if (!ended.signal.aborted) await giveBack().catch(() => undefined);
      });
    },
    end: () => ended.abort(),
  };
}
