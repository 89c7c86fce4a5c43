// What stands before every decision: the loop guard.

import type { Conversation } from "./conversation.ts";

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
