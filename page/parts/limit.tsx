// How much of what may be spent is spent: as words, and as a bar beside them.

import type { ComponentChildren, JSX } from "preact";
import type { Limits } from "../../src/domain/limits.ts";
import { formatDuration } from "../../src/base/text/duration.ts";
import { money, short } from "./numbers.ts";

/** What was spent; what is not known is absent. */
export interface SpentSoFar {
  readonly steps?: number;
  readonly tokens?: number;
  readonly cost?: number | null;
  readonly timeMs?: number;
}

export interface Against {
  readonly name: "steps" | "tokens" | "cost" | "time";
  readonly spent: number;
  readonly limit: number;
  /** `$0.42 of $2.00`. */
  readonly words: string;
  readonly standing: "" | "near its limit" | "at its limit";
}

/** From here on it is near. */
const NEAR = 0.8;

const dollars = (amount: number): string => (amount === 0 ? "$0.00" : money(amount));
const WRITTEN: Readonly<Record<Against["name"], (amount: number) => string>> = {
  steps: short,
  tokens: short,
  cost: dollars,
  time: (ms) => formatDuration(Math.round(ms)),
};

/** Of each limit, in the order of steps, tokens, money and time. */
export function againstLimits(limits: Limits | null | undefined, spent: SpentSoFar): readonly Against[] {
  const { steps, tokens, cost, timeMs } = limits ?? {};
  const rows = [
    ["steps", steps, spent.steps],
    ["tokens", tokens, spent.tokens],
    ["cost", cost, spent.cost ?? undefined],
    ["time", timeMs, spent.timeMs],
  ] as const;
  return rows.flatMap(([name, limit, amount = 0]) => {
    if (limit === undefined) return [];
    const write = WRITTEN[name];
    const unit = name === "steps" || name === "tokens" ? ` ${name}` : "";
    const words = `${write(amount)} of ${write(limit)}${unit}`;
    const standing = amount >= limit ? "at its limit" : amount >= limit * NEAR ? "near its limit" : "";
    return [{ name, spent: amount, limit, words, standing }];
  });
}

interface LimitBarProps {
  readonly against: Against;
  readonly children?: ComponentChildren;
}

export function LimitBar({ against, children }: LimitBarProps): JSX.Element {
  const { spent, limit, words, standing } = against;
  return (
    <span class={standing === "" ? "limit" : "limit tight"}>
      <span class="share" aria-hidden="true">
        <span style={{ width: `${Math.min(100, (100 * spent) / limit)}%` }} />
      </span>
      {words}
      {standing !== "" && <b> {standing}</b>}
      {children}
    </span>
  );
}
