// What was spent, as four numbers, what tokens cost, and what a legion as a whole may spend.

import type { Usage } from "../domain/event/event.ts";
import { totalUsage, type Ledger } from "./ledger.ts";
import type { Price } from "../domain/model.ts";
import { formatDuration } from "../base/text/duration.ts";
import type { Limits } from "../domain/limits.ts";
import type { AgentId } from "../domain/message/message.ts";
import { count } from "../base/text/wording.ts";

export interface Spent {
  readonly steps: number;
  readonly tokens: number;
  /** US dollars. */
  readonly cost: number;
  readonly timeMs: number;
}

export const NOTHING: Spent = { steps: 0, tokens: 0, cost: 0, timeMs: 0 };

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
  readonly ledger: Ledger;
  readonly limits: Limits;
}

/** Who spends, and under which right. */
export interface SpenderId {
  readonly agent: AgentId;
  readonly epoch: number;
}

/** What a legion as a whole may spend, known where all of its agents ask. */
export interface Ceiling {
  /** Reserves `call` for somebody who has spent and reserved `own` before; nothing, if it does not fit. */
  reserve(spender: SpenderId, own: Spent, call: Spent): Promise<Reservation>;
  /** Notes that somebody has spent and reserved `own` in all. */
  settle(spender: SpenderId, own: Spent): void;
}

/** `last`: no other call of this size fits. `why` names the limit that the call would break. */
export type Reservation =
  { readonly kind: "reserved"; readonly last: boolean } | { readonly kind: "refused"; readonly why: string };

/** The first of `limits` that `amount` is above, in words. */
export function exceeded(amount: Spent, limits: Limits, whose: string): string | undefined {
  const { steps, tokens, cost, timeMs } = limits;
  if (steps !== undefined && amount.steps > steps) return `${whose} may make ${count(steps, "model call")}`;
  if (tokens !== undefined && amount.tokens > tokens) return `${whose} may use ${count(tokens, "token")}`;
  if (cost !== undefined && amount.cost > cost) return `${whose} may spend ${cost} USD`;
  if (timeMs !== undefined && amount.timeMs >= timeMs)
    return `${whose} may work for ${formatDuration(timeMs)}`;
  return undefined;
}
