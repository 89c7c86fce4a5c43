// Makes room in a view that is too long for the model: counts it, has its older part summarised, keeps what saves tokens.

import type { PromptSource, Thinker } from "../parts/agent.ts";
import { planKey, tokensOf, type CompactionPlan, type Situation } from "./compaction.ts";
import { NO_USAGE, type SeqRange, type SummaryEvent } from "../../domain/event/event.ts";
import { isLegionError } from "../../base/errors.ts";
import { sha256 } from "../../past/log/blobs.ts";
import type { Stops } from "../../base/process/signals.ts";
import { estimateTokens } from "../../model/tokens/tokens.ts";
import { ownCall } from "../../past/ledger.ts";
import type { ReadablePast } from "../../past/past.ts";
import type { Completion } from "../../domain/model.ts";
import { introductionTokens, type Introduction } from "../parts/introduction.ts";
import { STRATEGIES } from "./strategies/strategy.ts";
import { textOf, type Item } from "../../past/shown/items.ts";

/** Below this share of the threshold the estimate is good enough; above it, tokens are counted. */
const NEAR = 0.8;
/** The summariser is shown at most this share of the window. */
const SUMMARISER_SHARE = 0.5;
/** Its summary at most this one. */
const OUTPUT_SHARE = 0.25;

/** The size at which a view is compacted, in tokens. */
export function thresholdOf({
  settings: { strategy, threshold },
  model,
}: Pick<PromptSource, "settings" | "model">): number {
  if (threshold > 1) return threshold;
  return Math.min(STRATEGIES[strategy].mostTokens, Math.floor(threshold * model.profile.window));
}

/**
 * Compacts if introduction and view are past the threshold and that is worth its price; counts tokens only when they come
 * near it. False if nothing has become shorter.
 */
export async function compactIfLong(
  thinker: Thinker,
  introduction: Introduction,
  stops: Stops,
): Promise<boolean> {
  const { view } = thinker.memory;
  const threshold = thresholdOf(thinker);
  const around = introductionTokens(introduction);
  if (around + view.tokens < threshold * NEAR) return false;
  await countItems(thinker);
  if (around + view.tokens <= threshold) return false;
  const prospect = prospectOf(thinker, around);
  if (!prospect) return false;
  const least = prospect.prompt <= threshold ? WORTH_ASKING : WORTH_ASKING_IN_VAIN;
  return prospect.saved >= threshold * least && compact(thinker, introduction, stops);
}

/** A summary has to save this share of the threshold: else the next one would be due a few decisions later. */
const WORTH_ASKING = 1 / 8;
/** The same where the prompt stays past the threshold all the same, which only new events, or a shorter introduction, change. */
const WORTH_ASKING_IN_VAIN = 1 / 4;

/** What could be summarised, and what would come of it, in tokens. */
interface Prospect {
  /** The oldest of what is to be summarised. */
  readonly plan: CompactionPlan;
  /** How much shorter the view would be in the end. */
  readonly saved: number;
  /** What the prompt would hold in the end beside the summary of `plan`, and with it. */
  readonly kept: number;
  readonly prompt: number;
}

/** What is known of a compaction: its room, and the plans of it that were tried. */
type Compaction = Pick<Situation, "room" | "tried">;

/** `undefined` if there is nothing to summarise that was not tried. */
function prospectOf(
  source: PromptSource,
  introduction: number,
  compaction: Compaction = beginCompaction(source, introduction),
): Prospect | undefined {
  const { memory, settings } = source;
  const { view } = memory;
  const longest = notKept.get(memory) ?? 0;
  const threshold = thresholdOf(source);
  const situation = { view, introduction, threshold, notKept: longest, ...compaction };
  const plans = STRATEGIES[settings.strategy].plan(situation);
  const [plan] = plans;
  if (!plan) return undefined;
  // As long as the one that it goes on from, or as one that was not kept.
  const expected = ({ items }: CompactionPlan): number =>
    Math.max(longest, tokensOf(items.filter(({ kind }) => kind === "summary")));
  const saved = plans.reduce((sum, one) => sum + tokensOf(one.items) - expected(one), 0);
  const prompt = introduction + view.tokens - saved;
  return { plan, saved, kept: prompt - expected(plan), prompt };
}

function beginCompaction(source: PromptSource, introduction: number) {
  const room = Math.min(thresholdOf(source), introduction + source.memory.view.tokens);
  return { room, tried: new Set<string>() };
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
  const around = introductionTokens(introduction);
  const compaction = beginCompaction(thinker, around);
  const { goesOn } = STRATEGIES[thinker.settings.strategy];
  let isShorter = false;
  for (;;) {
    const prospect = prospectOf(thinker, around, compaction);
    if (!prospect) return isShorter;
    compaction.tried.add(planKey(prospect.plan));
    if (await summarise(thinker, prospect, { introduction, stops })) isShorter = true;
    if (goesOn === "once") return isShorter;
  }
}

interface Summarising {
  readonly introduction: Introduction;
  readonly stops: Stops;
}

/** Makes one summary, by the model or without it. False if it would be no shorter than what it stands for. */
async function summarise(
  thinker: Thinker,
  prospect: Prospect,
  { introduction, stops }: Summarising,
): Promise<boolean> {
  const { memory, model, settings } = thinker;
  const { strategy } = settings;
  const { view } = memory;
  const plan = fitted(prospect, thresholdOf(thinker));
  const replaced = tokensOf(plan.items);
  const sizeOf = (content: string): number =>
    estimateTokens(view.summarised(plan.items, { strategy, content }));
  const asked = await askForSummary(thinker, plan, { system: introduction.instructions, stops });
  const content = [asked?.text.trim() ?? "", STRATEGIES[strategy].digest(plan)].find(
    (text) => text !== "" && sizeOf(text) < replaced,
  );
  // A digest takes what was paid for the summary that it stands in for.
  const usage = asked?.usage ?? ownCall(memory.ledger)?.reserved ?? NO_USAGE;
  // One that is not kept covers nothing; it is in the log for what it cost.
  const isKept = content !== undefined;
  const before = introductionTokens(introduction) + view.tokens;
  const summary = {
    kind: "summary",
    covers: isKept ? plan.covers : NO_EVENTS,
    content: content ?? "",
    strategy,
    usage,
    tokens: { before, after: isKept ? before - replaced + sizeOf(content) : before },
    stays: remainsOf(view.items, isKept ? plan.items : []),
  } as const;
  if (isKept || asked) await memory.commit(summary).finally(model.settle);
  if (!isKept) notKept.set(memory, Math.max(replaced, usage.output));
  return isKept;
}

/** What is shown of `items` when a summary stands in place of `covered`. */
function remainsOf(items: readonly Item[], covered: readonly Item[]): SummaryEvent["stays"] {
  const gone = new Set(covered);
  const staying = (wanted: Item["kind"]): number =>
    items.filter((item) => item.kind === wanted && !gone.has(item)).length;
  return {
    messages: staying("message"),
    decisions: staying("exchange"),
    summaries: staying("summary") + Math.min(1, gone.size),
  };
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
  const { request: ask } = STRATEGIES[thinker.settings.strategy];
  const asked = ask(plan, Math.floor(window * SUMMARISER_SHARE), system);
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
