// What a person answers once and for all: this exact call, or this host.

import { keyOfCall, type AskedAction } from "./same-call.ts";
import type { Touch } from "./rule.ts";

export type AlwaysAllowed = "call" | "host";

/** How such an answer is kept; `undefined` if the touch has no host. */
export function answerFor(call: AskedAction, touch: Touch, always: AlwaysAllowed): string | undefined {
  // The same words may lead elsewhere by then.
  if (always === "call") return `call ${keyOfCall(call)} ${JSON.stringify(touch)}`;
  return touch.kind === "net" ? `host ${touch.host}` : undefined;
}

/** Is what the call touches there covered by one of them? */
export function isAnsweredBy(answers: ReadonlySet<string>, call: AskedAction, touch: Touch): boolean {
  return (["call", "host"] as const).some((always) => answers.has(answerFor(call, touch, always) ?? ""));
}
