// What a person would write so that a call is not asked again.

import type { AskedCall } from "../event/approval.ts";
import { parseRule, type Touch } from "./rule.ts";

/**
 * Rules that allow just what was asked; `undefined` if none does: where a rule asks that outranks them, or the program, and where
 * what is asked cannot be said in a rule.
 */
export function rulesAllowing({ action, rule, touches }: AskedCall): readonly string[] | undefined {
  if (!rule.split("; ").every((one) => one.startsWith("profile "))) return undefined;
  const rules = touches.map((touch) => ruleFor(touch, action));
  const areRight = touches.every((touch, index) => allows(rules[index]!, touch, action));
  return areRight ? [...new Set(rules)] : undefined;
}

function ruleFor(touch: Touch, action: string): string {
  switch (touch.kind) {
    case "run":
      return `run ${touch.command.trim()}`;
    case "read":
    case "write":
      return `${touch.kind} ${touch.asked}`;
    case "net":
      return `net ${touch.host.includes(":") ? `[${touch.host}]` : touch.host}:${touch.port}`;
    case "send":
      return `send ${touch.to}`;
    case "action":
      return `action ${touch.name}`;
    case "anything":
      return `action ${action}`;
  }
}

/** A text is read again as a rule: what it holds may mean more, or less, there. */
function allows(text: string, touch: Touch, action: string): boolean {
  const rule = parseRule(text, { workspace: "/", home: "/" });
  const meant: Touch = touch.kind === "anything" ? { kind: "action", name: action } : touch;
  return !text.includes("*") && rule.fits(meant, "allow");
}
