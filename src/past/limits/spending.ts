// What was spent, as four numbers, what tokens cost, and what a legion as a whole may spend.

import { SPENDING_LIMITS, type SpendingLimit } from "../../base/errors.ts";
import type { Usage } from "../../domain/event/event.ts";
import { totalUsage, type Ledger } from "../ledger.ts";
import type { Price } from "../../domain/model.ts";
import { formatDuration } from "../../base/text/duration.ts";
import type { Limits } from "../../domain/limits.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { count } from "../../base/text/wording.ts";

export interface Spent {
  readonly steps: number;
  readonly tokens: number;
  /** US dollars. */
  readonly cost: number;
  readonly timeMs: number;
}

export const NOTHING: Spent = { steps: 0, tokens: 0, cost: 0, timeMs: 0 };

export function isNothing({ steps, tokens, cost, timeMs }: Spent): boolean {
  return steps === 0 && tokens === 0 && cost === 0 && timeMs === 0;
}

export function spentOf(ledger: Ledger): Spent {
  const usage = totalUsage(ledger);
  const { steps, workingMs } = ledger.spent;
  return { steps, tokens: usage.input + usage.output, cost: usage.cost ?? 0, timeMs: workingMs };
}

export function add(a: Spent, b: Spent): Spent {
  return {
    steps: a.steps + b.steps,
    tokens: a.tokens + b.tokens,
    cost: a.cost + b.cost,
    timeMs: a.timeMs + b.timeMs,
  };
}

export function subtract(a: Spent, b: Spent): Spent {
  return add(a, times(b, -1));
}

export function times({ steps, tokens, cost, timeMs }: Spent, factor: number): Spent {
  return { steps: steps * factor, tokens: tokens * factor, cost: cost * factor, timeMs: timeMs * factor };
}

/** US dollars of `usage` at `price`. */
export function costOf(usage: Usage, price: Price): number {
  const cached = usage.cacheRead ?? 0;
  const written = usage.cacheWrite ?? 0;
  const fresh = Math.max(0, usage.input - cached - written);
  const millions =
    fresh * price.input +
    cached * (price.cacheRead ?? price.input) +
    written * (price.cacheWrite ?? price.input) +
    usage.output * price.output;
  return millions / 1_000_000;
}

/** US dollars that a call of this size may cost: a provider may take all of its input for its cache, at a higher price. */
export function mostOf({ input, output }: Usage, price: Price): number {
  const dearest = Math.max(price.input, price.cacheWrite ?? 0);
  return costOf({ input, output }, { ...price, input: dearest });
}

/** Who wants to make it. */
export interface Spender extends SpenderId {
  readonly limits: Limits;
}

/** Who spends, and under which right. */
export interface SpenderId {
  readonly agent: AgentId;
  readonly epoch: number;
  /** The same object for as long as that right is used. */
  readonly ledger: Ledger;
}

/** What all who are below it may spend together, such as the agents of a legion; known where all of them ask. */
export interface Ceiling {
  /** Reserves `call` for somebody who has spent and reserved `own` before; nothing, if it does not fit. */
  reserve(spender: SpenderId, own: Spent, call: Spent): Promise<Reservation>;
  /** A call that was reserved is over: whoever made it has spent and reserved `own` in all. */
  settle(spender: SpenderId, own: Spent): void;
}

/** What one legion may spend: a person may say otherwise while it runs. */
export interface LegionCeiling extends Ceiling {
  /** From now on these hold, wherever somebody asks. */
  limit(limits: Limits): Promise<void>;
}

export type Reservation = Reserved | Refused;

/** The call fits, and nobody else is given what it may come to. */
export interface Reserved {
  readonly kind: "reserved";
  /** No other call of this size fits. */
  readonly last: boolean;
  /** The account of the person's purse that it is paid from. */
  readonly purse?: string;
}

/** The call would break a limit. */
export interface Refused extends Excess {
  readonly kind: "refused";
}

/** A limit that would be exceeded. */
export interface Excess {
  readonly limit: SpendingLimit;
  /** The limit in words, without a full stop. */
  readonly why: string;
  /** ISO 8601: when it begins anew; absent for one that never does. */
  readonly until?: string;
  /** Others are below the same limit; absent: it is the agent's own. */
  readonly shared?: true;
}

/** An excess as a notice of the log tells it to programs. */
export type LimitDetails = Pick<Excess, "limit" | "until" | "shared">;

/** What the `details` of a notice say was used up; nothing where they say something else. */
export function limitIn(details: unknown): Partial<LimitDetails> {
  const said = (details ?? {}) as Readonly<Record<string, unknown>>;
  const limit = SPENDING_LIMITS.find((known) => known === said["limit"]);
  const { until, shared } = said;
  return {
    limit,
    until: typeof until === "string" && Date.parse(until) > 0 ? until : undefined,
    ...(shared === true && { shared }),
  };
}

/** The first of `limits` that `amount` is above. */
export function exceeded(amount: Spent, limits: Limits, whose: string): Excess | undefined {
  const { steps, tokens, cost, timeMs } = limits;
  if (steps !== undefined && amount.steps > steps)
    return { limit: "steps", why: `${whose} may make ${count(steps, "model call")}` };
  if (tokens !== undefined && amount.tokens > tokens)
    return { limit: "tokens", why: `${whose} may use ${count(tokens, "token")}` };
  if (cost !== undefined && amount.cost > cost)
    return { limit: "cost", why: `${whose} may spend ${cost} USD` };
  if (timeMs !== undefined && amount.timeMs >= timeMs)
    return { limit: "time", why: `${whose} may work for ${formatDuration(timeMs)}` };
  return undefined;
}

/** To the billionth: sums and differences of fractions drift. */
export function roundedDollars(dollars: number): number {
  return Math.round(dollars * 1e9) / 1e9;
}
