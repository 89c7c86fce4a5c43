// What was set aside for processes that are gone goes back, but for what was paid from it.

import { NOTHING, type Spent } from "../../../../past/limits/spending.ts";
import type { PersonFolder } from "../folder.ts";
import { changeBook, closeAccount, exact, isLeft, readBook, type Account } from "./book.ts";

/** What the calls came to that were paid from these accounts; one that is absent came to nothing. `undefined`: it cannot be said. */
export type PaidFrom = (accounts: ReadonlySet<string>) => Promise<ReadonlyMap<string, Spent> | undefined>;

export interface LeftAccounts {
  readonly person: PersonFolder;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Does nobody pay from it any more? */
  readonly isOver: (account: Account, id: string) => boolean;
  readonly paidFrom: PaidFrom;
}

/** Resolves with whether something was closed. Rejects as `changeBook`, and as `paidFrom`. */
export async function closeLeft({ person, nowMs, isOver, paidFrom }: LeftAccounts): Promise<boolean> {
  const { open } = await readBook(person);
  const left = [...open].flatMap(([id, one]) => (isOver(one, id) ? [id] : []));
  if (left.length === 0) return false;
  const paid = await paidFrom(new Set(left));
  if (!paid) return false;
  const known = left.map((id) => [id, exact(paid.get(id) ?? NOTHING)] as const).filter(isAmount);
  await changeBook(person, nowMs, (book) => known.forEach(([id, spent]) => closeAccount(book, id, spent)));
  return known.length > 0;
}

export interface Reclaiming extends Pick<LeftAccounts, "person" | "nowMs"> {
  /** Whoever asks; what it left itself is its own business. */
  readonly home: string;
  readonly paidIn: (home: string) => PaidFrom;
}

/** Closes what processes of other homes left. Resolves with whether that was anything; rejects as `readBook`. */
export async function reclaim({ person, nowMs, home, paidIn }: Reclaiming): Promise<boolean> {
  const { open } = await readBook(person);
  const homes = [...open.values()].filter((one) => one.home !== home && isLeft(one)).map((one) => one.home);
  let isBack = false;
  for (const other of new Set(homes)) {
    const isOver = (one: Account): boolean => one.home === other && isLeft(one);
    // What cannot be read tells nothing: it stays as it is.
    isBack =
      (await closeLeft({ person, nowMs, isOver, paidFrom: paidIn(other) }).catch(() => false)) || isBack;
  }
  return isBack;
}

/** Logs are data: what is no amount would spoil the book. */
function isAmount([, spent]: readonly [id: string, spent: Spent]): boolean {
  return Object.values(spent).every((value: number) => Number.isFinite(value) && value >= 0);
}
