// Makes room in a view that is too long for the model: counts it, has its older part summarised, keeps what saves tokens.

import type { PromptSource, Thinker } from "../parts/agent.ts";
import { digest, planLegion, summaryRequest, type CompactionPlan } from "./compaction.ts";
import { NO_USAGE, type SeqRange } from "../../domain/event/event.ts";
import { isLegionError } from "../../base/errors.ts";
import { sha256 } from "../../past/log/blobs.ts";
import type { Stops } from "../../base/process/signals.ts";
import { estimateTokens } from "../../model/tokens/tokens.ts";
import type { ReadablePast } from "../../past/past.ts";
import { SUMMARY_OPENING, textOf } from "../../past/view.ts";
import type { Completion } from "../../domain/model.ts";
import { introductionTokens, type Introduction } from "../parts/introduction.ts";

/** Below this share of the threshold the estimate is good enough; above it, tokens are counted. */
const NEAR = 0.8;
/** The summariser is shown at most this share of the window. */
const SUMMARISER_SHARE = 0.5;
/** Its summary at most this one. */
const OUTPUT_SHARE = 0.25;

/** The size at which a view is compacted, in tokens. */
export function thresholdOf({ settings, model }: PromptSource): number {
  return settings.threshold <= 1 ? Math.floor(settings.threshold * model.profile.window) : settings.threshold;
}

/**
 * Compacts if introduction and view are past the threshold and that is worth its price; counts tokens only when they come
 * near it.
 */
export async function compactIfLong(
  thinker: Thinker,
  introduction: Introduction,
  stops: Stops,
): Promise<void> {
  const { view } = thinker.memory;
  const threshold = thresholdOf(thinker);
  const around = introductionTokens(introduction);
  if (around + view.tokens < threshold * NEAR) return;
  await countItems(thinker);
  if (around + view.tokens <= threshold) return;
  const prospect = prospectOf(thinker, around);
  if (!prospect) return;
  const least = prospect.prompt <= threshold ? WORTH_ASKING : WORTH_ASKING_IN_VAIN;
  if (prospect.saved >= threshold * least) await compact(thinker, introduction, stops);
}

/** A summary has to save this share of the threshold: else the next one would be due a few decisions later. */
const WORTH_ASKING = 1 / 8;
/** The same where the prompt stays past the threshold all the same, which only new events, or a shorter introduction, change. */
const WORTH_ASKING_IN_VAIN = 1 / 4;

/** What could be summarised, and what would come of it, in tokens. */
interface Prospect {
  readonly plan: CompactionPlan;
  /** How much shorter the view would be. */
  readonly saved: number;
  /** What the prompt would hold beside the summary, and with it. */
  readonly kept: number;
  readonly prompt: number;
}

/** `undefined` if there is nothing to summarise. */
function prospectOf(source: PromptSource, introduction: number): Prospect | undefined {
  const { view } = source.memory;
  const summary = expectedSummary(source);
  const plan = planLegion(view, introduction + summary, thresholdOf(source));
  if (!plan) return undefined;
  const replaced = tokensOf(plan);
  const kept = introduction + view.tokens - replaced;
  return { plan, saved: replaced - summary, kept, prompt: kept + summary };
}

function tokensOf({ items }: CompactionPlan): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** How long the next summary may be, in tokens: as the one that it goes on from, or as one that was not kept; else 0. */
function expectedSummary({ memory }: PromptSource): number {
  const [first] = memory.view.items;
  return Math.max(first?.kind === "summary" ? first.tokens : 0, notKept.get(memory) ?? 0);
}

/** How long a summary was, in tokens, that came out no shorter than what it was to replace. */
const notKept = new WeakMap<ReadablePast, number>();

/** Says in the pinned part why the prompt stays past the threshold, if no summary can bring it below. */
export function withCrowding(source: PromptSource, introduction: Introduction): Introduction {
  const threshold = thresholdOf(source);
  const around = introductionTokens(introduction);
  if (around + source.memory.view.tokens <= threshold) return introduction;
  const prospect = prospectOf(source, around);
  if (prospect && prospect.prompt <= threshold) return introduction;
  return { ...introduction, pinned: `${introduction.pinned}\n\n${crowded(threshold)}`.trim() };
}

function crowded(threshold: number): string {
  return (
    `This prompt is past the ${threshold} tokens that it should stay within, and no summary of older events can bring it ` +
    "below: your instructions, what is pinned and your newest events fill it. Complete goals and delete notes that are no " +
    "longer needed, and ask for less at once."
  );
}

/** Replaces the estimates of items that were never counted. */
async function countItems({ memory, model }: Thinker): Promise<void> {
  const uncounted = memory.view.items.filter(({ counted }) => !counted);
  if (uncounted.length === 0) return;
  const counts = await model.count(uncounted.map(({ turns }) => turns.map(textOf).join("\n")));
  for (const [index, item] of uncounted.entries()) memory.view.setTokens(item, counts[index]!);
}

/** Summarises the older part of the view. False if there is nothing to summarise, or nothing would be saved. */
export async function compact(thinker: Thinker, introduction: Introduction, stops: Stops): Promise<boolean> {
  const { memory, model, settings } = thinker;
  const prospect = prospectOf(thinker, introductionTokens(introduction));
  if (!prospect) return false;
  const plan = fitted(prospect, thresholdOf(thinker));
  const before = tokensOf(plan);
  const sizeOf = (content: string): number => estimateTokens(`${SUMMARY_OPENING}\n\n${content}`);
  const asked = await askForSummary(thinker, plan, { system: introduction.instructions, stops });
  const content = [asked?.text.trim() ?? "", digest(plan)].find(
    (text) => text !== "" && sizeOf(text) < before,
  );
  // A digest takes what was paid for the summary that it stands in for.
  const usage = asked?.usage ?? memory.ledger.open.at(-1)?.reserved ?? NO_USAGE;
  // One that is not kept covers nothing; it is in the log for what it cost.
  const covers = content === undefined ? NO_EVENTS : plan.covers;
  const { strategy } = settings;
  const summary = { kind: "summary", covers, content: content ?? "", strategy, usage } as const;
  if (content !== undefined || asked) await memory.commit(summary).finally(model.settle);
  if (content === undefined) notKept.set(memory, usage.output);
  return content !== undefined;
}

const NO_EVENTS: SeqRange = [0, 0];

/** The same plan with a shorter summary, where what stays would leave too little room for new events behind it. */
function fitted({ plan, kept }: Prospect, threshold: number): CompactionPlan {
  const words = Math.floor((threshold - kept - threshold * WORTH_ASKING) * WORDS_PER_TOKEN);
  const least = Math.floor(plan.wordLimit / 4);
  return { ...plan, wordLimit: Math.max(least, Math.min(plan.wordLimit, words)) };
}

const WORDS_PER_TOKEN = 0.75;

/** `undefined` if the model cannot or does not give one; rejects only with what stops the agent anyway. */
async function askForSummary(
  thinker: Thinker,
  plan: CompactionPlan,
  { system, stops }: { readonly system: string; readonly stops: Stops },
): Promise<Completion | undefined> {
  const { window, maxOutput, summarises } = thinker.model.profile;
  if (!summarises) return undefined;
  const asked = summaryRequest(plan, Math.floor(window * SUMMARISER_SHARE), system);
  const request = {
    ...asked,
    maxOutput: Math.min(asked.maxOutput, maxOutput, Math.floor(window * OUTPUT_SHARE)),
  };
  const shown = [request.system, request.pinned, ...request.turns.map(textOf)];
  const tokens = shown.reduce((sum, text) => sum + estimateTokens(text), 0);
  try {
    const prompt = { request, tokens, chain: sha256(shown.join("\n")), purpose: "summary" } as const;
    return (await thinker.model.complete(prompt, stops)).completion;
  } catch (error) {
    if (stops.signal.aborted || stops.patience?.aborted || isLegionError(error, "STORAGE")) throw error;
    return undefined;
  }
}
