// What to summarise of a view and how to ask for it. Pure.

import type { SeqRange } from "../../domain/event/event.ts";
import type { ModelRequest, Turn } from "../../domain/model.ts";
import { estimateTokens } from "../../model/tokens/tokens.ts";
import type { View } from "../../past/view.ts";
import { elide } from "../../base/text/wording.ts";
import { textOf, type Item } from "../../past/shown/items.ts";
import { keptText } from "../../past/shown/kept-texts.ts";
import { quotesText } from "../../past/shown/summary-text.ts";

export interface CompactionPlan {
  readonly items: readonly Item[];
  readonly covers: SeqRange;
  readonly wordLimit: number;
  /** In `rounds`, the number of the first round that it is about, from 1. */
  readonly round?: number;
}

/** What a plan is made for. */
export interface Situation {
  readonly view: View;
  /** What the prompt holds besides the view, and what it should stay within, in tokens. */
  readonly introduction: number;
  readonly threshold: number;
  /** The threshold, or the whole prompt before this compaction where a provider found a shorter one too long. */
  readonly room: number;
  /** No shorter range could be made shorter. */
  readonly notKept: number;
  /** Plans that are no use to make again. */
  readonly tried: ReadonlySet<string>;
}

/** What tells two plans over one view apart. */
export function planKey({ covers }: CompactionPlan): string {
  return covers.join("-");
}

export function tokensOf(items: readonly Item[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

/**
 * The events that `chosen`, a row of neighbours in `items`, stand for, and nothing of what stands beside them; `undefined`
 * if that cannot be said.
 */
export function coversOf(items: readonly Item[], chosen: readonly Item[]): SeqRange | undefined {
  const [first] = chosen;
  if (!first) return undefined;
  const at = items.indexOf(first);
  // The result of an old call may have come in late: behind what stands next to it.
  const from = items.slice(0, at).reduce((seq, { lastSeq }) => Math.max(seq, lastSeq + 1), first.firstSeq);
  const next = items[at + chosen.length];
  const to = Math.min(chosen.at(-1)!.lastSeq, next ? next.firstSeq - 1 : Infinity);
  return from <= to && from <= first.lastSeq ? [from, to] : undefined;
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
  const covers = coversOf(items, chosen);
  if (!covers || (chosen.length === 1 && chosen[0]!.kind === "summary")) return undefined;
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
  return requestFor(plan, {
    system,
    transcript: transcriptOf(plan, maxTokens),
    asked: instruction(plan.wordLimit),
  });
}

/** What a summariser is given: who it is, what it reads, and what it is asked then. */
export interface SummaryBrief {
  readonly system: string;
  readonly transcript: string;
  readonly asked: string;
}

export function requestFor(
  { wordLimit }: CompactionPlan,
  { system, transcript, asked }: SummaryBrief,
): ModelRequest {
  return {
    system,
    tools: [],
    turns: [{ role: "user", text: transcript }],
    pinned: asked,
    maxOutput: Math.max(256, wordLimit * 2),
  };
}

/** The turns of `plan` in at most `maxTokens`: what an earlier summary says stays whatever else is left out. */
export function transcriptOf({ items }: CompactionPlan, maxTokens: number): string {
  const length = items.reduce((sum, { turns }) => sum + turns.length, 0);
  const share = tokensOf(items) <= maxTokens ? Infinity : Math.max(64, Math.floor((maxTokens / length) * 4));
  const staying = new Set<string>();
  const entries = items.flatMap(({ kind, turns, quotes, kept }) =>
    turns.map((turn) => {
      // What is kept behind a summary is behind the next one as well.
      const entry = `${speaker(turn)}:\n${elide(withoutEnd(textOf(turn), keptText(kept)), share)}`;
      if (kind !== "summary") return entry;
      const quoted = quotesText(quotes);
      const whole = quoted === "" || entry.includes(quoted) ? entry : `${entry}\n\n${quoted}`;
      staying.add(whole);
      return whole;
    }),
  );
  return clip(entries, maxTokens, staying).join("\n\n");
}

/** The text of an item; of a summary without what it quotes and keeps. */
export function ownText({ kind, turns, quotes, kept }: Item): string {
  const text = turns.map(textOf).join(" / ");
  if (kind !== "summary") return text;
  return withoutEnd(withoutEnd(text, keptText(kept)), quotesText(quotes));
}

function withoutEnd(text: string, end: string): string {
  return end !== "" && text.endsWith(end) ? text.slice(0, -end.length).trimEnd() : text;
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
    return `- event ${range}: ${elide(ownText(item).replace(/\s+/g, " ").trim(), DIGEST_CHARS)}`;
  });
  const shown = clip(lines, plan.wordLimit);
  const left = lines.length - shown.length;
  const opening = left > 0 ? [`(${left} older events are not listed.)`] : [];
  return [...opening, ...shown, "Use the recall action to reopen any of them by number."].join("\n");
}

/** What Control said in what `plan` folds in, for a summary that does not quote it by itself. */
export function earlierWords({ items }: CompactionPlan): string {
  return items
    .filter(({ kind }) => kind === "summary")
    .map(({ quotes }) => quotesText(quotes))
    .filter((text) => text !== "")
    .join("\n");
}

/** All of `lines` that are `staying`, and the newest others that fit into `maxTokens` with them; always the last one. */
export function clip(
  lines: readonly string[],
  maxTokens: number,
  staying: ReadonlySet<string> = new Set(),
): readonly string[] {
  let tokens = [...staying].reduce((sum, line) => sum + estimateTokens(line) + 1, 0);
  let first = lines.length;
  while (first > 0) {
    const line = lines[first - 1]!;
    if (!staying.has(line)) tokens += estimateTokens(line) + 1;
    if (tokens > maxTokens && first < lines.length) break;
    first--;
  }
  return [...lines.slice(0, first).filter((line) => staying.has(line)), ...lines.slice(first)];
}

function speaker(turn: Turn): string {
  if (turn.role === "assistant") return "You";
  return turn.role === "results" ? "Results" : "Received";
}
