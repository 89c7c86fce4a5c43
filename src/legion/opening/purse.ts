// The person's purse, for the legion that a process is about to open.

import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { readPersonConfig } from "../../config/files/person-config.ts";
import type { PurseLimits } from "../../domain/limits.ts";
import { createPaidInLog } from "../../past/shares/by-purse.ts";
import { NOTHING, add, type Spent } from "../../past/limits/spending.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { createFileReader } from "../../storage/files/reader/reader.ts";
import { checkHome } from "../../storage/folder/home.ts";
import { lockHolder } from "../../storage/folder/lock.ts";
import { legionPaths } from "../../storage/folder/paths.ts";
import type { PersonFolder } from "../../storage/folder/person/folder.ts";
import { closeLeft } from "../../storage/folder/person/purse/left.ts";
import { openPurse, type Purse } from "../../storage/folder/person/purse/purse.ts";

/** Between the folder and the name of a legion whose logs are elsewhere. */
const ELSEWHERE = " in the legion ";

export interface PursePlace {
  readonly person: PersonFolder;
  readonly clock: Clock;
  /** Names the place that the agents are kept in. */
  readonly home: string;
  readonly reader: Pick<Reader, "known" | "events">;
}

/** Nothing where the person sets no limit to a day or a month. Rejects with CONFIG if what is kept of it cannot be relied on. */
export async function openPersonPurse(
  { day, month }: PurseLimits,
  { person, clock, home, reader }: PursePlace,
): Promise<Purse | undefined> {
  if (isUnlimited(day) && isUnlimited(month)) return undefined;
  const limits = async (): Promise<PurseLimits> => (await readPersonConfig(person)).limits ?? {};
  return openPurse({
    ...{ person, home, limits, clock },
    paidFrom: paidBy(reader),
    paidIn: (other) => (accounts) => paidIn(other, person, accounts),
  });
}

function isUnlimited(limits: object = {}): boolean {
  return Object.values(limits).every((limit) => limit === undefined);
}

/** How a purse names where the agents of a legion are kept; `place`: their logs are not in `root`. */
export function homeInPurse(
  root: string,
  place?: { readonly legion: string; readonly shown: string },
): string {
  return place ? `${root}${ELSEWHERE}${place.legion} at ${place.shown}` : root;
}

/**
 * Gives back what the purse has set aside for the home `root`, but for what its logs say was spent: before they are deleted, and
 * while nobody can open it. Rejects as the reader does, and with CONFIG if what is kept of the purse cannot be relied on.
 */
export async function settleHome(root: string, person: PersonFolder, nowMs: number): Promise<void> {
  const paidFrom = paidBy(createFileReader(dirname(root), { home: root, person }));
  await closeLeft({ person, nowMs, paidFrom, isOver: ({ home }) => home === root });
}

async function paidIn(
  home: string,
  person: PersonFolder,
  accounts: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Spent> | undefined> {
  if (home.includes(ELSEWHERE)) return undefined;
  if (!lstatSync(home, { throwIfNoEntry: false })) return new Map();
  const paths = legionPaths(dirname(home), home);
  await checkHome(paths, person);
  const reader = createFileReader(paths.project, { home, person });
  return (await lockHolder(paths.lock, reader.disk)) ? undefined : paidBy(reader)(accounts);
}

function paidBy(
  reader: PursePlace["reader"],
): (accounts: ReadonlySet<string>) => Promise<Map<string, Spent>> {
  return async (accounts) => {
    const sums = new Map<string, Spent>();
    for (const agent of await reader.known()) {
      const paid = createPaidInLog();
      for await (const event of reader.events(agent)) paid.see(event);
      for (const [account, spent] of paid.parts)
        if (account !== undefined && accounts.has(account))
          sums.set(account, add(sums.get(account) ?? NOTHING, spent));
    }
    return sums;
  };
}
