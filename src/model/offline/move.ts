// What the offline model may do next, before it becomes a completion.

import type { AgentId } from "../../domain/message.ts";
import type { Wanted } from "./commands.ts";
import { stepsSince, type OfflineView, type ActionStep } from "./prompt-reader.ts";

export interface OfflineReply {
  readonly to: readonly AgentId[];
  readonly text: string;
}

/** `tell` ends a piece of work. */
export type Move =
  | { readonly kind: "act"; readonly text: string; readonly calls: readonly Wanted[] }
  | { readonly kind: "tell"; readonly replies: readonly OfflineReply[] };

export function act(text: string, calls: readonly Wanted[]): Move {
  return { kind: "act", text, calls };
}

/** `calls`, but for actions that this agent lacks. */
export function within({ tools }: OfflineView, calls: readonly Wanted[]): readonly Wanted[] {
  return calls.filter(({ action }) => tools.has(action));
}

/** The newest call of `action` after `since` that fits. */
export function lastStep(
  view: OfflineView,
  since: number,
  action: string,
  fits: (parameters: ActionStep["parameters"]) => boolean = () => true,
): ActionStep | undefined {
  return stepsSince(view, since).findLast((step) => step.action === action && fits(step.parameters));
}

export function sendMessage({ to, text }: OfflineReply): Wanted {
  return { action: "sendMessage", parameters: { targetAgentId: to.join(","), message: text } };
}

/** Writes a note, unless one with that title was tried already. */
export function writeNote(
  view: OfflineView,
  since: number,
  note: { readonly title: string; readonly content: string },
): readonly Wanted[] {
  // Titles hold 500 characters.
  const title = Array.from(note.title).slice(0, 400).join("");
  if (lastStep(view, since, "writeNote", (parameters) => parameters["title"] === title)) return [];
  return within(view, [{ action: "writeNote", parameters: { title, content: note.content } }]);
}

/** Adds a goal, unless that is pending or was tried already. */
export function addGoal(view: OfflineView, since: number, goal: string): readonly Wanted[] {
  const isThere = view.pendingGoals.some(({ text }) => text === onOneLine(goal));
  if (isThere || lastStep(view, since, "addGoal", (parameters) => parameters["goal"] === goal)) return [];
  return within(view, [{ action: "addGoal", parameters: { goal } }]);
}

/** Completes every pending goal that `fits`. */
export function completeGoals(view: OfflineView, fits: (goal: string) => boolean): readonly Wanted[] {
  const goals = view.pendingGoals.filter(({ text }) => fits(text));
  return within(
    view,
    goals.map(({ number }) => ({ action: "completeGoal", parameters: { goalNumber: number } })),
  );
}

/** Where work stands of which nothing but a pending goal is left: before everything in view. */
export const FORGOTTEN = -1;

/**
 * Lets forgotten work start over under the goal `again`. `going on`: it did, and that can still be seen; `lost`: it
 * did, and was forgotten once more, so there is too little room for it.
 */
export function startOver(
  view: OfflineView,
  fits: (goal: string) => boolean,
  again: string,
): Move | "going on" | "lost" {
  const added = addGoal(view, FORGOTTEN, again);
  if (added.length > 0)
    return act("I have lost the beginning of this and start over.", [...completeGoals(view, fits), ...added]);
  return lastStep(view, FORGOTTEN, "addGoal", ({ goal }) => goal === again) ? "going on" : "lost";
}

/** As a list of goals shows it. */
function onOneLine(goal: string): string {
  return goal.replace(/\s+/g, " ");
}
