// What a process has written down in the book of the purse: before it spends, and when it will not.

import type { Clock } from "../../../../base/clock.ts";
import { LegionError, messageOf } from "../../../../base/errors.ts";
import type { PurseLimits } from "../../../../domain/limits.ts";
import { NOTHING, subtract, type Refused, type Spent } from "../../../../past/limits/spending.ts";
import type { PersonFolder } from "../folder.ts";
import type { OwnAccount } from "./account.ts";
import { allot, type Allotted } from "./allot.ts";
import { changeBook, closeAccount, exact, readBook, thisHolder, type Book } from "./book.ts";
import { closeLeft, reclaim, type PaidFrom } from "./left.ts";

export interface PurseOrder {
  readonly person: PersonFolder;
  /** Names the place that agents are kept in; nobody else runs agents of it at the same time. */
  readonly home: string;
  /** As the person has them now; asked again whenever something is allotted. */
  readonly limits: () => Promise<PurseLimits>;
  readonly clock: Clock;
  /** By the logs of this home. */
  readonly paidFrom: PaidFrom;
  /** By those of another home, if nobody runs it any more. */
  readonly paidIn: (home: string) => PaidFrom;
}

/** What it does one at a time, the caller sees to. Everything rejects with STORAGE if it cannot be written down. */
export interface Keeping {
  /** As they were when something was allotted last. */
  limits(): PurseLimits;
  /** Has what the account may spend be enough for `call`, and more; closes `over`, which nobody pays from any more. */
  allot(account: OwnAccount, call: Spent, over: readonly OwnAccount[]): Promise<Allotted | Refused>;
  /** Leaves the account what it has used; closes `over`. */
  giveBack(account: OwnAccount, over: readonly OwnAccount[]): Promise<void>;
  /** Closes accounts with what they have used. */
  close(accounts: readonly OwnAccount[]): Promise<void>;
  /** Closes the accounts that earlier processes of this home left with what the logs say. */
  takeBack(own: (id: string) => boolean): Promise<void>;
}

/** Rejects with CONFIG if the book, or what the person says, cannot be relied on. Writes nothing. */
export async function openKeeping({ person, home, clock, ...order }: PurseOrder): Promise<Keeping> {
  await readBook(person);
  let limits = await order.limits();
  const change = <T>(work: (book: Book) => T): Promise<T> =>
    changeBook(person, clock.now(), work).catch((cause: unknown) => {
      throw new LegionError("STORAGE", `your purse cannot be used: ${messageOf(cause)}`, { cause });
    });
  const allotted = async (work: (book: Book) => Allotted | Refused): Promise<Allotted | Refused> => {
    const given = await change(work);
    // What other homes left is looked for only where it is missing: it has their logs read.
    const isRefused = given.kind === "refused";
    return isRefused && (await reclaim({ ...order, person, home, nowMs: clock.now() }))
      ? change(work)
      : given;
  };
  const closeAll = (book: Book, accounts: readonly OwnAccount[]): void => {
    for (const { id, used } of accounts) closeAccount(book, id, used);
  };
  const write = (book: Book, { id, day }: OwnAccount, allotted: Spent): void =>
    void book.open.set(id, { home, day, allotted, by: thisHolder() });
  return {
    limits: () => limits,
    async allot(account, call, over) {
      // Somebody who is about to change them may have written half of it.
      limits = await order.limits().catch(() => limits);
      const given = await allotted((book) => {
        closeAll(book, over);
        const { id, day, openedMs, used, asked, allotted } = account;
        const claim = { id, day, atMs: openedMs, used: exact(subtract(used, asked)), allotted, call };
        const outcome = allot(book, limits, claim);
        if (outcome.kind === "refused") return outcome;
        // Nobody may spend meanwhile what it is not allotted any more.
        account.allotted = least(account.allotted ?? NOTHING, outcome.allotted);
        write(book, account, outcome.allotted);
        return outcome;
      });
      if (given.kind === "allotted") account.allotted = given.allotted;
      return given;
    },
    giveBack: (account, over) =>
      change((book) => {
        closeAll(book, over);
        if (!account.allotted || account.calls > 0) return;
        account.allotted = account.used;
        write(book, account, account.used);
      }),
    async close(accounts) {
      if (accounts.some(({ allotted }) => allotted)) await change((book) => closeAll(book, accounts));
    },
    takeBack: async (own) =>
      void (await closeLeft({
        ...{ person, nowMs: clock.now(), paidFrom: order.paidFrom },
        isOver: (one, id) => one.home === home && !own(id),
      })),
  };
}

function least(a: Spent, b: Spent): Spent {
  return {
    steps: Math.min(a.steps, b.steps),
    tokens: Math.min(a.tokens, b.tokens),
    cost: Math.min(a.cost, b.cost),
    timeMs: 0,
  };
}
