// What to summarise of a view and how to ask for it. Pure.

import type { ModelRequest, Turn } from "../../domain/model.ts";
import { estimateTokens } from "../../model/tokens/tokens.ts";
import { textOf, type Item, type View } from "../../past/view.ts";
import { elide } from "../../base/text/wording.ts";

export interface CompactionPlan {
  readonly items: readonly Item[];
  readonly covers: readonly [firstSeq: number, lastSeq: number];
  readonly wordLimit: number;
}

/** The most recent events that always stay. */
const KEEP_EVENTS = 3;
/** Of a long text the summariser and the digest see the beginning and the end. */
const DIGEST_CHARS = 160;

/**
 * The `legion` strategy: at least half of the events and, where that is more, as much as the view is over the
 * threshold; never the 3 newest events, never mail that no decision has seen. `undefined` if that leaves nothing.
 *
 * @param introductionTokens what the prompt holds besides the view
 */
export function planLegion(
  view: View,
  introductionTokens: number,
  threshold: number,
): CompactionPlan | undefined {
  const { items } = view;
  const movable = movableItems(items);
  if (movable === 0) return undefined;
  const overrun = introductionTokens + view.tokens - threshold;
  const events = items.map((item) => item.events);
  const half = Math.ceil(events.reduce((sum, count) => sum + count, 0) / 2);
  const byTokens = countUntil(
    items.map((item) => item.tokens),
    Math.max(overrun, Math.floor(view.tokens / 2)),
  );
  const chosen = items.slice(0, Math.min(Math.max(byTokens, countUntil(events, half)), movable));
  const [first] = chosen;
  if (chosen.length === 1 && first!.kind === "summary") return undefined;
  const covers = [first!.firstSeq, chosen.at(-1)!.lastSeq] as const;
  return { items: chosen, covers, wordLimit: Math.floor(threshold / 6) };
}

/** How many of the oldest items may go: all that a decision has seen, but the newest `KEEP_EVENTS` events. */
function movableItems(items: readonly Item[]): number {
  let movable = items.findLastIndex((item) => item.kind === "exchange") + 1;
  let kept = 0;
  for (const item of items.slice(movable)) kept += item.events;
  while (movable > 0 && kept < KEEP_EVENTS) kept += items[--movable]!.events;
  return movable;
}

/** How many of the first `values` add up to at least `target`; all if they do not. */
function countUntil(values: readonly number[], target: number): number {
  let sum = 0;
  const last = values.findIndex((value) => (sum += value) >= target);
  return last === -1 ? values.length : last + 1;
}

/** Asks for the summary of `plan`. At most `maxTokens` of the events are shown; long ones lose their middle. */
export function summaryRequest(plan: CompactionPlan, maxTokens: number, system: string): ModelRequest {
  const turns = plan.items.flatMap((item) => item.turns);
  const total = plan.items.reduce((sum, item) => sum + item.tokens, 0);
  const share = total <= maxTokens ? Infinity : Math.max(64, Math.floor((maxTokens / turns.length) * 4));
  const transcript = turns.map((turn) => `${speaker(turn)}:\n${elide(textOf(turn), share)}`);
  return {
    system,
    tools: [],
    turns: [{ role: "user", text: clip(transcript, maxTokens).join("\n\n") }],
    pinned: instruction(plan.wordLimit),
    maxOutput: Math.max(256, plan.wordLimit * 2),
  };
}

function instruction(wordLimit: number): string {
  return [
    `Write a summary of these events in ${wordLimit} words or less. It will stand in their place in your memory, so`,
    "write it in the second person, to yourself: what was asked and by whom, what you did, what you found out, what is",
    "still open, and every name, number, path and address that you may need again. Leave out what your goals and notes",
    "hold and what can be read again from a file. Answer with the plain text of the summary only: no action, no call.",
    `Not more than ${wordLimit} words.`,
  ].join(" ");
}

/** A summary without a model: one line for each item, the newest last, in at most `wordLimit` words. */
export function digest(plan: CompactionPlan): string {
  const lines = plan.items.map((item) => {
    const range = item.firstSeq === item.lastSeq ? `${item.firstSeq}` : `${item.firstSeq}-${item.lastSeq}`;
    const text = item.turns.map((turn) => textOf(turn)).join(" / ");
    return `- event ${range}: ${elide(text.replace(/\s+/g, " ").trim(), DIGEST_CHARS)}`;
  });
  const shown = clip(lines, plan.wordLimit);
  const left = lines.length - shown.length;
  const opening = left > 0 ? [`(${left} older events are not listed.)`] : [];
  return [...opening, ...shown, "Use the recall action to reopen any of them by number."].join("\n");
}

/** The newest of `lines` that fit into `maxTokens`; always the last one. */
function clip(lines: readonly string[], maxTokens: number): readonly string[] {
  let tokens = 0;
  let first = lines.length;
  while (first > 0) {
    tokens += estimateTokens(lines[first - 1]!) + 1;
    if (tokens > maxTokens && first < lines.length) break;
    first--;
  }
  return lines.slice(first);
}

function speaker(turn: Turn): string {
  if (turn.role === "assistant") return "You";
  return turn.role === "results" ? "Results" : "Received";
}
