// What stands before every model call and every decision: budget and loop guard.
//
//   G1. A call is admitted only if its counted prompt and its output cap fit into every limit above it; what is
//       admitted is reserved until it is settled, so concurrent calls cannot overrun a limit together.
//   G2. What was spent is the sum over the logs: a restart changes nothing.

import type { Usage } from "./event.ts";
import { LegionError } from "./errors.ts";
import { formatDuration } from "./duration.ts";
import type { Conversation } from "./conversation.ts";
import { totalUsage, type Ledger } from "./ledger.ts";
import type { Limits } from "./limits.ts";
import type { Price } from "./model/model.ts";

/** A model call that wants to be made. */
export interface Estimate {
  readonly input: number;
  readonly output: number;
  readonly price: Price | undefined;
}

export interface Admission {
  /** No other call of this size fits after this one. */
  readonly last: boolean;
  /** Call it as soon as the ledger holds what the call came to. */
  settle(): void;
}

export interface Budget {
  /** Throws LIMIT, naming the limit, if the call does not fit. */
  admit(ledger: Ledger, limits: Limits, estimate: Estimate): Admission;
  /** Would the call be admitted now? */
  fits(ledger: Ledger, limits: Limits, estimate: Estimate): boolean;
  /** Counts `ledger` no longer: another one that holds the same has joined. */
  leave(ledger: Ledger | undefined): void;
  /** Joins an agent's past and future spending to the legion's; nothing, if nothing is known of it. */
  join(ledger: Ledger | undefined): void;
  /** What the whole legion has spent. */
  spent(): Spent;
}

export interface Spent {
  readonly steps: number;
  readonly tokens: number;
  readonly cost: number;
  readonly timeMs: number;
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

export function spentOf(ledger: Ledger): Spent {
  const usage = totalUsage(ledger);
  const { steps, workingMs } = ledger.spent;
  return { steps, tokens: usage.input + usage.output, cost: usage.cost ?? 0, timeMs: workingMs };
}

const NOTHING: Spent = { steps: 0, tokens: 0, cost: 0, timeMs: 0 };

export function createBudget(legion: Limits): Budget {
  const ledgers = new Set<Ledger>();
  /** Output of calls under way; their input stands in the ledgers already. */
  const underWay = new Map<Ledger, Set<Spent>>();
  const reservedOf = (ledger: Ledger): Spent => [...(underWay.get(ledger) ?? [])].reduce(add, NOTHING);
  const isLimited = Object.values(legion).some((limit) => limit !== undefined);
  const spent = (): Spent => [...ledgers].map(spentOf).reduce(add, NOTHING);
  /** Which limit `times` such calls would break, if any. */
  const refusalOf = (
    ledger: Ledger,
    limits: Limits,
    estimate: Estimate,
    times: number,
  ): string | undefined => {
    const calls = { ...scale(priced(estimate, estimate.price), times), steps: times };
    const own = add(spentOf(ledger), reservedOf(ledger));
    const all = isLimited ? add(spent(), [...underWay.keys()].map(reservedOf).reduce(add, NOTHING)) : NOTHING;
    return exceeded(add(own, calls), limits, "this agent") ?? exceeded(add(all, calls), legion, "the legion");
  };
  return {
    leave: (ledger) => void (ledger && ledgers.delete(ledger)),
    join: (ledger) => void (ledger && ledgers.add(ledger)),
    spent,
    fits: (ledger, limits, estimate) => refusalOf(ledger, limits, estimate, 1) === undefined,
    admit(ledger, limits, estimate) {
      const refusal = refusalOf(ledger, limits, estimate, 1);
      if (refusal !== undefined) throw new LegionError("LIMIT", refusal);
      const last = refusalOf(ledger, limits, estimate, 2) !== undefined;
      const output = priced({ input: 0, output: estimate.output }, estimate.price);
      const calls = underWay.get(ledger) ?? new Set();
      underWay.set(ledger, calls.add(output));
      return {
        last,
        settle: () => {
          calls.delete(output);
          if (calls.size === 0) underWay.delete(ledger);
        },
      };
    },
  };
}

function priced({ input, output }: Usage, price: Price | undefined): Spent {
  return { steps: 0, tokens: input + output, cost: price ? mostOf({ input, output }, price) : 0, timeMs: 0 };
}

/** US dollars that a call of this size may cost: a provider may take all of its input for its cache, at a higher price. */
export function mostOf({ input, output }: Usage, price: Price): number {
  const dearest = Math.max(price.input, price.cacheWrite ?? 0);
  return costOf({ input, output }, { ...price, input: dearest });
}

function scale({ tokens, cost, ...rest }: Spent, times: number): Spent {
  return { ...rest, tokens: tokens * times, cost: cost * times };
}

function add(a: Spent, b: Spent): Spent {
  return {
    steps: a.steps + b.steps,
    tokens: a.tokens + b.tokens,
    cost: a.cost + b.cost,
    timeMs: a.timeMs + b.timeMs,
  };
}

function exceeded(total: Spent, limits: Limits, whose: string): string | undefined {
  const { steps, tokens, cost, timeMs } = limits;
  if (steps !== undefined && total.steps > steps) return `${whose} may make ${steps} model calls`;
  if (tokens !== undefined && total.tokens > tokens) return `${whose} may use ${tokens} tokens`;
  if (cost !== undefined && total.cost > cost) return `${whose} may spend ${cost} USD`;
  if (timeMs !== undefined && total.timeMs >= timeMs)
    return `${whose} may work for ${formatDuration(timeMs)}`;
  return undefined;
}

/** What the loop guard makes of the past: `warn` goes into the next prompt, `park` stops the agent. */
export type LoopVerdict =
  | { readonly kind: "go" }
  | { readonly kind: "warn"; readonly text: string }
  | { readonly kind: "park"; readonly reason: string };

const WARN_REPEATS = 3;
const PARK_REPEATS = 5;
const PARK_UNPARSED = 3;

/** The same call with the same result again and again, or completions that hold no action: no way on by itself. */
export function judgeLoop({ unparsed, repeats }: Conversation): LoopVerdict {
  if (unparsed >= PARK_UNPARSED) {
    return { kind: "park", reason: `${unparsed} completions in a row held no action` };
  }
  let worst = { action: "", count: 0 };
  for (const { call, count } of repeats.values()) {
    if (count > worst.count) worst = { action: call.action, count };
  }
  if (worst.count >= PARK_REPEATS) {
    return { kind: "park", reason: `${worst.action} was called ${worst.count} times with the same result` };
  }
  if (worst.count < WARN_REPEATS) return { kind: "go" };
  const text =
    `You have called ${worst.action} ${worst.count} times with the same parameters and the same result. ` +
    `Do something else, or wait for mail. After ${PARK_REPEATS} times you will be stopped.`;
  return { kind: "warn", text };
}
