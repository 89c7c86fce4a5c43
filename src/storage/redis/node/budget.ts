// The limits of a legion whose agents run in several processes: reserved in Redis, by one script.

import { LegionError } from "../../../base/errors.ts";
import type { Limits } from "../../../domain/limits.ts";
import { displayName, type AgentId } from "../../../domain/message.ts";
import {
  limitSpending,
  reserveSpending,
  settleSpending,
  type Amounts,
  type Measure,
} from "../scripts/budget.ts";
import { exceeded, type Ceiling, type Spent } from "../../../past/usage.ts";
import type { Tenure } from "../../../domain/lease.ts";
import type { LegionPlace } from "../scripts/scope.ts";

const NANO = 1_000_000_000;

export interface CeilingPlace extends LegionPlace {
  /** The right of this process to run `agent`, if it has it: it ends where the agent's purse is at a later one. */
  readonly tenureOf?: (agent: AgentId) => Tenure | undefined;
}

/** Sets the legion's limits, in place of those of the start before, and keeps them. */
export async function openRedisCeiling(place: CeilingPlace, limits: Limits): Promise<Ceiling> {
  await limitSpending(place, amountsIn(limits));
  return {
    async reserve(spender, own, call) {
      const reserved = await reserveSpending(place, spender, toAmounts(own), toAmounts(call));
      if (reserved.kind === "reserved") return reserved;
      if (reserved.kind === "refused")
        return { kind: "refused", why: refusal(reserved.measure, reserved.limit) };
      const { agent, epoch } = spender;
      const tenure = place.tenureOf?.(agent);
      if (tenure?.epoch === epoch) tenure.end("its limits are kept under a later right");
      throw new LegionError("STORAGE", `${displayName(agent)} is run by another process by now.`);
    },
    settle(spender, own) {
      // What is not noted now stays reserved until the agent's next call.
      settleSpending(place, spender, toAmounts(own)).catch(() => undefined);
    },
  };
}

function amountsIn({ steps, tokens, cost, timeMs }: Limits): ReadonlyMap<Measure, number> {
  const named: readonly (readonly [Measure, number | undefined])[] = [
    ["steps", steps],
    ["tokens", tokens],
    ["cost", cost === undefined ? undefined : Math.round(cost * NANO)],
    ["time", timeMs],
  ];
  return new Map(
    named.flatMap(([measure, limit]) => (limit === undefined ? [] : [[measure, limit] as const])),
  );
}

function toAmounts({ steps, tokens, cost, timeMs }: Spent): Amounts {
  return [steps, tokens, Math.ceil(cost * NANO), Math.ceil(timeMs)];
}

/** As a legion in one process says it. */
function refusal(measure: Measure, limit: number): string {
  const limits: Limits = {
    ...(measure === "steps" && { steps: limit }),
    ...(measure === "tokens" && { tokens: limit }),
    ...(measure === "cost" && { cost: limit / NANO }),
    ...(measure === "time" && { timeMs: limit }),
  };
  const everything = { steps: Infinity, tokens: Infinity, cost: Infinity, timeMs: Infinity };
  return exceeded(everything, limits, "the legion")!;
}
