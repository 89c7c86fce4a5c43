// What stands before every decision: the loop guard.

import type { EndStatus } from "../../domain/event/ending.ts";
import type { Conversation } from "../../past/conversation.ts";
import { LOOP_REPEATS } from "../../past/repeats.ts";

/** What the loop guard makes of the past: `warn` goes into the next prompt, `park` stops the agent. */
export type LoopVerdict =
  | { readonly kind: "go" }
  | { readonly kind: "warn"; readonly text: string }
  | { readonly kind: "park"; readonly reason: string; readonly end: EndStatus };

/** What an agent is borne with before it is stopped. */
export interface LoopPatience {
  /** Completions in a row that hold no action; 0: any number. */
  readonly unparsed: number;
  /** `watched`: the same call with the same result again and again stops it, and so do failures. `borne`: they do not. */
  readonly repeats: "watched" | "borne";
}

export const USUAL_PATIENCE: LoopPatience = { unparsed: 3, repeats: "watched" };

/** A director bears what no model call came to, and knows when it has to do without one. */
export const DIRECTED_PATIENCE: LoopPatience = { unparsed: 0, repeats: "watched" };

const PARK_REPEATS = 5;
const WARN_FAILURES = 5;
const PARK_FAILURES = 10;

/**
 * The same call with the same result again and again, decisions that fail whatever they say, or completions that hold no
 * action: no way on by itself. After failures new mail gives one more try.
 */
export function judgeLoop(
  { unparsed, repeats, failures, mail }: Conversation,
  patience: LoopPatience = USUAL_PATIENCE,
): LoopVerdict {
  if (patience.unparsed > 0 && unparsed >= patience.unparsed) {
    const reason = `${unparsed === 1 ? "a completion" : `${unparsed} completions in a row`} held no action`;
    return { kind: "park", reason, end: "RepeatedFormatError" };
  }
  if (patience.repeats === "borne") return { kind: "go" };
  let worst = { action: "", count: 0 };
  for (const { call, count } of repeats.values()) {
    if (count > worst.count) worst = { action: call.action, count };
  }
  if (worst.count >= PARK_REPEATS) {
    return {
      kind: "park",
      reason: `${worst.action} was called ${worst.count} times with the same result`,
      end: "Error",
    };
  }
  if (failures >= PARK_FAILURES && !mail) {
    return { kind: "park", reason: `${failures} decisions in a row failed`, end: "Error" };
  }
  if (worst.count >= LOOP_REPEATS) {
    const text =
      `You have called ${worst.action} ${worst.count} times with the same parameters and the same result. ` +
      `Do something else, or wait for mail. After ${PARK_REPEATS} times you will be stopped.`;
    return { kind: "warn", text };
  }
  if (failures < WARN_FAILURES) return { kind: "go" };
  const text =
    `Your last ${failures} decisions failed. Read what their results say, and go on in another way, or wait for mail. ` +
    `After ${PARK_FAILURES} failures in a row you will be stopped.`;
  return { kind: "warn", text };
}
