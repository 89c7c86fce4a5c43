// What the person lets all of their agents spend, and who has what of it. Reads only: no lock, no write.

import { dayOf } from "../../base/calendar.ts";
import { isLegionError } from "../../base/errors.ts";
import type { Config } from "../../config/config.ts";
import { formatLimits, type Limits } from "../../domain/limits.ts";
import type { Spent } from "../../past/limits/spending.ts";
import type { PersonFolder } from "../../storage/folder/person/folder.ts";
import { periodsOf, type Period } from "../../storage/folder/person/purse/allot.ts";
import { MEASURES, isLeft, readBook, totalOf, type Book } from "../../storage/folder/person/purse/book.ts";
import { finding, type DoctorFinding } from "./finding.ts";

/** Silent where no day and no month is limited. */
export async function* checkPurse(
  { purse }: Pick<Config, "purse">,
  person: PersonFolder,
): AsyncGenerator<DoctorFinding> {
  const nowMs = Date.now();
  const periods = periodsOf(purse, { day: dayOf(nowMs), atMs: nowMs }).toReversed();
  const limited = periods.filter(({ limits }) => Object.keys(limits).length > 0);
  if (limited.length === 0) return;
  try {
    const book = await readBook(person);
    const totals = limited.map((period) => describe(period, book)).join("; ");
    const left = [...book.open.values()].filter(isLeft);
    yield finding("purse", "ok", `${totals}${describeAside(book, limited)}`);
    for (const { home, allotted, day } of left) {
      const amount = formatLimits(limitedPart(allotted, limited));
      const way = "it is given back when a start there opens it again, or a call elsewhere needs it";
      yield finding(
        "purse",
        "warning",
        `${amount} of ${day} is set aside for ${home}, whose process is gone; ${way}`,
      );
    }
  } catch (error) {
    if (!isLegionError(error)) throw error;
    yield finding("purse", "wrong", error.message);
  }
}

/** `3.2 of 10 USD this day`. */
function describe({ name, limits, isIn }: Period, book: Book): string {
  const { spent } = totalOf(book, isIn);
  return `${formatLimits(partOf(spent, limits))} of ${formatLimits(limits)} spent this ${name}`;
}

function describeAside({ open }: Book, limited: readonly Period[]): string {
  const kept = [...open.values()].filter((account) => !isLeft(account));
  const each = kept.map(({ home, allotted }) => `${formatLimits(limitedPart(allotted, limited))} by ${home}`);
  return each.length > 0 ? `; in use: ${each.join(", ")}` : "";
}

/** Of what at least one period limits. */
function limitedPart(amount: Spent, periods: readonly Period[]): Limits {
  return partOf(amount, Object.assign({}, ...periods.map(({ limits }) => limits)) as Limits);
}

function partOf(amount: Spent, limits: Limits): Limits {
  const named = MEASURES.filter((measure) => limits[measure] !== undefined);
  return Object.fromEntries(
    named.map((measure) => [measure, measure === "cost" ? Number(amount.cost.toFixed(4)) : amount[measure]]),
  );
}
