// What stands before every decision: the loop guard.

import type { Conversation } from "../../past/conversation.ts";

/** What the loop guard makes of the past: `warn` goes into the next prompt, `park` stops the agent. */
export type LoopVerdict =
  | { readonly kind: "go" }
  | { readonly kind: "warn"; readonly text: string }
  | { readonly kind: "park"; readonly reason: string };

const WARN_REPEATS = 3;
const PARK_REPEATS = 5;
const PARK_UNPARSED = 3;
const WARN_FAILURES = 5;
const PARK_FAILURES = 10;

/**
 * The same call with the same result again and again, decisions that fail whatever they say, or completions that hold no
 * action: no way on by itself. After failures new mail gives one more try.
 */
export function judgeLoop({ unparsed, repeats, failures, mail }: Conversation): LoopVerdict {
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
  if (failures >= PARK_FAILURES && !mail) {
    return { kind: "park", reason: `${failures} decisions in a row failed` };
  }
  if (worst.count >= WARN_REPEATS) {
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
