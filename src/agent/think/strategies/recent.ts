// The strategy `recent`: the newest messages of a prompt stay, everything before them becomes one summary. Pure.

import type { View } from "../../../past/view.ts";
import { coversOf, type CompactionPlan } from "../compaction.ts";

/** As a provider counts them: an exchange is the model's message, and the one with its results. */
const KEEP_MESSAGES = 4;
const MAX_WORDS = 2_000;

/** `undefined` if nothing but a summary would go. Mail that no decision has seen stays, however much it is. */
export function planRecent(view: View, threshold: number): CompactionPlan | undefined {
  const { items } = view;
  const seen = items.findLastIndex(({ kind }) => kind === "exchange") + 1;
  let first = items.length;
  let kept = 0;
  while (first > 0 && kept < KEEP_MESSAGES) kept += items[--first]!.turns.length;
  const chosen = items.slice(0, Math.min(first, seen));
  const covers = coversOf(items, chosen);
  if (!covers || chosen.every(({ kind }) => kind === "summary")) return undefined;
  return { items: chosen, covers, wordLimit: Math.max(1, Math.min(MAX_WORDS, Math.floor(threshold / 6))) };
}
