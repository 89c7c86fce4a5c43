// What a piece of work adds to the next decision of the offline model, and what was done about it before.

import type { AgentId } from "../../domain/message/message.ts";
import type { Wanted } from "./commands.ts";
import { stepsSince, type ActionStep, type OfflineView } from "./view.ts";

/** Without calls and replies it waits for mail. */
export interface Move {
  /** Why, in a sentence; empty if the replies say it. */
  readonly says: string;
  readonly calls: readonly Wanted[];
  readonly replies: readonly OfflineReply[];
}

export interface OfflineReply {
  readonly to: readonly AgentId[];
  readonly text: string;
}

export function sendMessage({ to, text }: OfflineReply): Wanted {
  return { action: "sendMessage", parameters: { targetAgentId: to.join(","), message: text } };
}

/** The newest call of `action` after `since` that had these parameters, among others. */
export function lastStep(view: OfflineView, since: number, { action, parameters }: Wanted) {
  const wanted = Object.entries(parameters);
  return stepsSince(view, since).findLast(
    (step: ActionStep) =>
      step.action === action && wanted.every(([name, value]) => step.parameters[name] === value),
  );
}

/** `wanted`, but for what was tried after `since` already, and for actions that this agent lacks. */
export function untried(view: OfflineView, since: number, ...wanted: readonly Wanted[]): readonly Wanted[] {
  return wanted.filter((one) => view.tools.has(one.action) && !lastStep(view, since, one));
}
