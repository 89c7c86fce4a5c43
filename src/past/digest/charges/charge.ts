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

export const NO_CHARGE: Charge = {
  ...{ steps: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  ...{ cost: 0, timeMs: 0, reserved: 0, reservedCost: 0, unpriced: 0, unparsed: 0, retried: 0 },
};

const FIELDS = Object.keys(NO_CHARGE) as readonly (keyof Charge)[];

/** What the log has come to, but for what no ledger counts. */
export function chargedIn(ledger: Ledger): Charge {
  const { input, output, cacheRead = 0, cacheWrite = 0, cost = 0 } = totalUsage(ledger);
  const { steps, workingMs: timeMs } = ledger.spent;
  return { ...NO_CHARGE, steps, input, output, cacheRead, cacheWrite, cost, timeMs };
}

/** What an answer came to. */
export function chargeOf({ input, output, cacheRead = 0, cacheWrite = 0, cost }: Usage): Charge {
  const unpriced = cost === undefined ? input + output : 0;
  return { ...NO_CHARGE, input, output, cacheRead, cacheWrite, cost: cost ?? 0, unpriced };
}

export function spentIn({ steps, input, output, cost, timeMs }: Charge): Spent {
  return { steps, tokens: input + output, cost, timeMs };
}

export function addCharge(a: Charge, b: Charge): Charge {
  return grow({ ...a }, b);
}

export function subtractCharge(a: Charge, b: Charge): Charge {
  return grow({ ...a }, b, -1);
}

export function isNoCharge(charge: Charge): boolean {
  for (const field of FIELDS) if (charge[field] !== 0) return false;
  return true;
}

/** One that grows in its place. */
export type ChargeSum = { -readonly [F in keyof Charge]: Charge[F] };

/** Field by field in so many words: each event of a log comes by here several times, and a loop over names takes far longer. */
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
  const sum: ChargeSum = { ...NO_CHARGE };
  for (const [n, field] of FIELDS.entries()) sum[field] = row[n]!;
  return sum;
}
