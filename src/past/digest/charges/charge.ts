// What model calls, and the work that they led to, came to; as numbers that can be added up and kept.

import { z } from "zod";
import type { Usage } from "../../../domain/event/event.ts";
import type { Spent } from "../../limits/spending.ts";
import { totalUsage, type Ledger } from "../../ledger.ts";

export interface Charge {
  readonly steps: number;
  /** Tokens, those that the provider's cache served or took in included. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** US dollars. */
  readonly cost: number;
  /** In model calls and actions. */
  readonly timeMs: number;
  /** Tokens and US dollars that are reserved for calls without an answer: part of what is above. */
  readonly reserved: number;
  readonly reservedCost: number;
  /** Tokens of answers of which nobody knows the price: part of what is above. */
  readonly unpriced: number;
  /** Completions from which no action could be read. */
  readonly unparsed: number;
  /** Calls of which nothing came: refused, or without an answer when the next one was made. */
  readonly retried: number;
}

/** One that grows in its place: each event of a log comes by here several times, and copies would take longer than all else. */
export type ChargeSum = { -readonly [F in keyof Charge]: Charge[F] };

export function createSum(): ChargeSum {
  // prettier-ignore
  return {
    steps: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0, timeMs: 0,
    reserved: 0, reservedCost: 0, unpriced: 0, unparsed: 0, retried: 0,
  };
}

export const NO_CHARGE: Charge = createSum();

const FIELDS = Object.keys(NO_CHARGE) as readonly (keyof Charge)[];

/** What the log has come to, but for what no ledger counts. */
export function chargedIn(ledger: Ledger): Charge {
  const charged = chargeOf(totalUsage(ledger));
  charged.unpriced = 0;
  charged.steps = ledger.spent.steps;
  charged.timeMs = ledger.spent.workingMs;
  return charged;
}

/** What an answer came to. */
export function chargeOf({ input, output, cacheRead = 0, cacheWrite = 0, cost }: Usage): ChargeSum {
  const sum = createSum();
  sum.input = input;
  sum.output = output;
  sum.cacheRead = cacheRead;
  sum.cacheWrite = cacheWrite;
  sum.cost = cost ?? 0;
  sum.unpriced = cost === undefined ? input + output : 0;
  return sum;
}

export function spentIn({ steps, input, output, cost, timeMs }: Charge): Spent {
  return { steps, tokens: input + output, cost, timeMs };
}

export function addCharge(a: Charge, b: Charge): Charge {
  return grow(grow(createSum(), a), b);
}

export function subtractCharge(a: Charge, b: Charge): ChargeSum {
  return grow(grow(createSum(), a), b, -1);
}

export function isNoCharge(charge: Charge): boolean {
  const { steps, input, output, cacheRead, cacheWrite, cost } = charge;
  const { timeMs, reserved, reservedCost, unpriced, unparsed, retried } = charge;
  const isFree = input === 0 && output === 0 && cacheRead === 0 && cacheWrite === 0 && cost === 0;
  const isKnown = reserved === 0 && reservedCost === 0 && unpriced === 0;
  return isFree && isKnown && steps === 0 && timeMs === 0 && unparsed === 0 && retried === 0;
}

/** Field by field in so many words: a loop over names takes far longer. */
export function grow(sum: ChargeSum, more: Charge, sign: 1 | -1 = 1): ChargeSum {
  sum.steps += sign * more.steps;
  sum.input += sign * more.input;
  sum.output += sign * more.output;
  sum.cacheRead += sign * more.cacheRead;
  sum.cacheWrite += sign * more.cacheWrite;
  sum.cost += sign * more.cost;
  sum.timeMs += sign * more.timeMs;
  sum.reserved += sign * more.reserved;
  sum.reservedCost += sign * more.reservedCost;
  sum.unpriced += sign * more.unpriced;
  sum.unparsed += sign * more.unparsed;
  sum.retried += sign * more.retried;
  return sum;
}

/** The numbers of a charge, in their order. */
export const chargeRowSchema = z.array(z.number()).length(FIELDS.length);

type ChargeRow = z.output<typeof chargeRowSchema>;

export function toRow(charge: Charge): ChargeRow {
  return FIELDS.map((field) => charge[field]);
}

export function fromRow(row: ChargeRow): ChargeSum {
  const sum = createSum();
  for (const [n, field] of FIELDS.entries()) sum[field] = row[n]!;
  return sum;
}
