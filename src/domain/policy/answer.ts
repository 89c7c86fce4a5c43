// What a person answers once and for all: this exact call, or this host.

import type { Touch } from "./rule.ts";

export type AlwaysAllowed = "call" | "host";

/** How such an answer is kept; `undefined` if the touch has no host. */
export function answerFor(touch: Touch, always: AlwaysAllowed): string | undefined {
  if (always === "call") return `call ${JSON.stringify(touch)}`;
  return touch.kind === "net" ? `host ${touch.host}` : undefined;
}

/** Is the touch covered by one of them? */
export function isAnsweredBy(answers: ReadonlySet<string>, touch: Touch): boolean {
  return (["call", "host"] as const).some((always) => answers.has(answerFor(touch, always) ?? ""));
}
