// The strategy `rounds`: what was done between two messages becomes one summary; the messages stay. Where messages and
// summaries alone take too much room, the oldest rounds become one summary that quotes what Control said. Pure.

import type { Item } from "../../../past/shown/items.ts";
import { coversOf, planKey, tokensOf, type CompactionPlan, type Situation } from "../compaction.ts";

/** What follows one message, or several in a row, up to the next one. */
interface Round {
  /** From 1; 0: what stands before the first message. */
  readonly number: number;
  readonly messages: readonly Item[];
  /** Decisions, summaries and notices. */
  readonly work: readonly Item[];
}

const MAX_WORDS = 1_000;
/** Of new work as much as half of what a summary may be, in tokens for each word that it may have; less is left as it is. */
const LEAST_PER_WORD = 2 / 3;
/** One compaction asks for so many summaries of single rounds; where there are more, the oldest rounds become one first. */
const MAX_ROUNDS = 12;
/** Messages and summaries may fill this share of the room; past it, or where nothing else helps, they are brought down to the other. */
const STAYING_SHARE = 1 / 2;
const MERGED_SHARE = 1 / 4;

/**
 * What can be summarised as the view is now, oldest first; empty if nothing is left to do. The newest exchange always stays,
 * and so does all that stands behind it, which no decision has seen, and the messages of its round.
 */
export function planRounds(situation: Situation): readonly CompactionPlan[] {
  const { view, threshold, notKept } = situation;
  const newest = view.items.findLastIndex(({ kind }) => kind === "exchange");
  const rounds = roundsOf(view.items.slice(0, Math.max(0, newest)));
  const wordLimit = Math.max(1, Math.min(MAX_WORDS, Math.floor(threshold / 6)));
  const least = Math.max(notKept, wordLimit * LEAST_PER_WORD);
  const planOf = (items: readonly Item[], first: Round): readonly CompactionPlan[] => {
    const covers = coversOf(view.items, items);
    const plan = covers && { items, covers, wordLimit, round: Math.max(1, first.number) };
    return plan && !isDone(items) && !situation.tried.has(planKey(plan)) ? [plan] : [];
  };
  const due = rounds.flatMap((round) => {
    const fresh = round.work.filter(({ kind }) => kind !== "summary");
    const plans = tokensOf(fresh) > least ? planOf(round.work, round) : [];
    return plans.map((plan) => ({ plan, round }));
  });
  const merged = (count: number): readonly CompactionPlan[] => {
    const oldest = rounds.slice(0, Math.min(count, rounds.length - 1));
    const items = oldest.flatMap(({ messages, work }) => [...messages, ...work]);
    return tokensOf(items) > notKept ? planOf(items, oldest[0]!) : [];
  };
  if (due.length > MAX_ROUNDS) {
    const oldest = merged(rounds.indexOf(due.at(-MAX_ROUNDS)!.round));
    if (oldest.length > 0) return oldest;
  }
  if (due.length > 0) return due.map(({ plan }) => plan);
  return merged(countToMerge(rounds, situation));
}

/** How many of the oldest rounds have to become one, so that those behind them take little room; 0 if all may stay. */
function countToMerge(rounds: readonly Round[], { view, introduction, room }: Situation): number {
  const sizes = rounds.map(({ messages, work }) => tokensOf(messages) + tokensOf(work));
  let staying = sizes.reduce((sum, size) => sum + size, 0);
  // An introduction may take so much that half of the room is not there.
  const target = Math.min(room * MERGED_SHARE, Math.max(0, room - introduction) / 2);
  const isTooLong = introduction + view.tokens >= room;
  if (staying <= (isTooLong ? target : room * STAYING_SHARE)) return 0;
  return sizes.findIndex((size) => (staying -= size) <= target) + 1;
}

/** Nothing is won by summarising a summary again. */
function isDone(items: readonly Item[]): boolean {
  return items.every(({ kind }) => kind === "summary") && items.length < 2;
}

function roundsOf(items: readonly Item[]): readonly Round[] {
  const rounds: { number: number; messages: Item[]; work: Item[] }[] = [];
  for (const item of items) {
    const last = rounds.at(-1);
    if (item.kind !== "message") {
      if (last) last.work.push(item);
      else rounds.push({ number: 0, messages: [], work: [item] });
    } else if (last && last.work.length === 0) last.messages.push(item);
    else rounds.push({ number: (last?.number ?? 0) + 1, messages: [item], work: [] });
  }
  return rounds;
}
