// Makes room in a view that is too long for the model: counts it, has its older part summarised, keeps what saves tokens.

import type { Agent } from "./agent.ts";
import { digest, planLegion, summaryRequest, type CompactionPlan } from "./compaction.ts";
import { complete } from "./complete.ts";
import { NO_USAGE, type Usage } from "./event.ts";
import { isLegionError } from "./errors.ts";
import { sha256 } from "./log/blobs.ts";
import { introductionTokens, type Introduction } from "./prompt.ts";
import { estimateTokens } from "./tokens.ts";
import { SUMMARY_OPENING, textOf } from "./view.ts";

/** Below this share of the threshold the estimate is good enough; above it, tokens are counted. */
const NEAR = 0.8;
/** The summariser is shown at most this share of the window. */
const SUMMARISER_SHARE = 0.5;

/** The size at which a view is compacted, in tokens. */
export function thresholdOf({ settings, model }: Agent): number {
  return settings.threshold <= 1 ? Math.floor(settings.threshold * model.profile.window) : settings.threshold;
}

/** Compacts if introduction and view are past the threshold; counts tokens only when they come near it. */
export async function compactIfLong(agent: Agent, introduction: Introduction, signal: AbortSignal): Promise<void> {
  const { view } = agent.memory;
  const threshold = thresholdOf(agent);
  const around = introductionTokens(introduction);
  if (around + view.tokens < threshold * NEAR) return;
  await countItems(agent);
  if (around + view.tokens > threshold) await compact(agent, introduction, signal);
}

/** Replaces the estimates of items that were never counted. */
async function countItems({ memory, shared }: Agent): Promise<void> {
  const uncounted = memory.view.items.filter(({ counted }) => !counted);
  if (uncounted.length === 0) return;
  const counts = await shared.tokens.count(uncounted.map(({ turns }) => turns.map(textOf).join("\n")));
  for (const [index, item] of uncounted.entries()) memory.view.setTokens(item, counts[index]!);
}

/** Summarises the older part of the view. False if there is nothing to summarise, or nothing would be saved. */
export async function compact(agent: Agent, introduction: Introduction, signal: AbortSignal): Promise<boolean> {
  const { memory } = agent;
  const plan = planLegion(memory.view, introductionTokens(introduction), thresholdOf(agent));
  if (!plan) return false;
  const before = plan.items.reduce((sum, item) => sum + item.tokens, 0);
  for (const summarise of [askForSummary, writeDigest]) {
    const { content, usage, settle } = await summarise(agent, plan, { introduction, signal });
    const saves = content !== "" && estimateTokens(`${SUMMARY_OPENING}\n\n${content}`) < before;
    const { strategy, covers } = plan;
    if (saves) await memory.commit({ kind: "summary", covers, content, strategy, usage });
    settle();
    if (saves) return true;
  }
  return false;
}

interface Summary {
  /** Empty if there is none. */
  readonly content: string;
  readonly usage: Usage;
  readonly settle: () => void;
}

const NO_SUMMARY: Summary = { content: "", usage: NO_USAGE, settle: () => undefined };

interface Context {
  readonly introduction: Introduction;
  readonly signal: AbortSignal;
}

/** No summary if the model cannot or does not give one; rejects only with what stops the agent anyway. */
async function askForSummary(agent: Agent, plan: CompactionPlan, context: Context): Promise<Summary> {
  const { window, summarises } = agent.model.profile;
  if (!summarises) return NO_SUMMARY;
  const { introduction, signal } = context;
  const request = summaryRequest(plan, Math.floor(window * SUMMARISER_SHARE), introduction.instructions);
  const shown = [request.system, request.pinned, ...request.turns.map(textOf)];
  const tokens = shown.reduce((sum, text) => sum + estimateTokens(text), 0);
  try {
    const prompt = { request, tokens, chain: sha256(shown.join("\n")) };
    const { completion, settle } = await complete(agent, prompt, { signal });
    return { content: completion.text.trim(), usage: completion.usage, settle };
  } catch (error) {
    if (signal.aborted || isLegionError(error, "LIMIT") || isLegionError(error, "STORAGE")) throw error;
    return NO_SUMMARY;
  }
}

function writeDigest(_agent: Agent, plan: CompactionPlan): Promise<Summary> {
  return Promise.resolve({ ...NO_SUMMARY, content: digest(plan) });
}
