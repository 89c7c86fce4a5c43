import type { Config } from "../../config/config.ts";
import {
  mergeLimits,
  parseLimit,
  type LegionLimits,
  type LimitName,
  type Limits,
} from "../../domain/limits.ts";
import type { Spent } from "../../past/limits/spending.ts";
import type { WholeBill } from "./whole-bill.ts";

/** Where there is one agent, what is typed for all holds for it, too: more than its definition says, or less. */
export function limitsOfOne(config: Config): Config {
  const { limits } = config.flags;
  return limits ? { ...config, flags: { ...config.flags, limits: forOne(limits) } } : config;
}

/** As `limitsOfOne`. */
export function forOne({ legion, agent }: LegionLimits): LegionLimits {
  return { legion, agent: mergeLimits(legion, agent) };
}

/** How long it may work, in milliseconds; absent: for ever. */
export function timeOf(...limits: readonly Limits[]): number | undefined {
  const said = limits.flatMap(({ timeMs }) => timeMs ?? []);
  return said.length > 0 ? Math.min(...said) : undefined;
}

const NAMES = ["steps", "turns", "tokens", "cost", "time"] as const satisfies readonly LimitName[];

/** Turns are counted anew whenever a run goes on. */
interface SpentSoFar extends Spent {
  readonly turns?: number;
}

/**
 * Limits as they are typed, in place of those that were typed `before`: `steps=+50` is so much more than was spent, and what is not
 * named stays. Throws USAGE where such a number is none; anything else is read where limits are.
 */
export function raiseLimits(said: string, before: string | undefined, spent: SpentSoFar): string {
  if (said.trim() === "none") return said;
  const limits = new Map<string, string | undefined>(
    partsOf(before?.trim() === "none" ? NAMES.map((name) => `${name}=none`).join() : before),
  );
  for (const [name, value] of partsOf(said)) {
    const more = /^\s*\+(.*)$/s.exec(value ?? "")?.[1];
    limits.set(name, more === undefined ? value : moreThan(name, more, spent));
  }
  return [...limits].map(([name, value]) => (value === undefined ? name : `${name}=${value}`)).join(",");
}

/** What counts to the limits of a run: those in steps are of its own agent, the others of all that work for it. */
export function spentBy({ ownSteps, tokens, cost, timeMs }: WholeBill): Spent {
  return { steps: ownSteps, tokens, cost: cost ?? 0, timeMs };
}

function partsOf(text = ""): readonly (readonly [name: string, value: string | undefined])[] {
  return text
    .split(",")
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const [name = "", ...value] = part.split("=");
      return [name.trim(), value.length > 0 ? value.join("=") : undefined] as const;
    });
}

function moreThan(
  name: string,
  more: string,
  { steps, tokens, cost, timeMs, turns = 0 }: SpentSoFar,
): string {
  if (!isLimitName(name)) return more;
  const amount = parseLimit(name, more);
  if (amount === "none") return more;
  const sums = {
    steps: steps + amount,
    turns: turns + amount,
    tokens: tokens + amount,
    // As many digits as are read.
    cost: (cost + amount).toFixed(9),
    time: `${Math.round(timeMs + amount)}ms`,
  };
  return String(sums[name]);
}

function isLimitName(name: string): name is LimitName {
  return (NAMES as readonly string[]).includes(name);
}
