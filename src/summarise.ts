// Makes room in a view that is too long for the model: counts it, has its older part summarised, keeps what saves tokens.

import type { Agent } from "./agent.ts";
import { digest, planLegion, summaryRequest, type CompactionPlan } from "./compaction.ts";
import { complete, type Completed } from "./complete.ts";
import { NO_USAGE } from "./event.ts";
import { isLegionError } from "./errors.ts";
import { sha256 } from "./log/blobs.ts";
import { introductionTokens, type Introduction } from "./prompt.ts";
import type { Stops } from "./signals.ts";
import { estimateTokens } from "./tokens.ts";
import { SUMMARY_OPENING, textOf } from "./view.ts";

/** Below this share of the threshold the estimate is good enough; above it, tokens are counted. */
const NEAR = 0.8;
/** The summariser is shown at most this share of the window. */
const SUMMARISER_SHARE = 0.5;
/** Its summary at most this one. */
const OUTPUT_SHARE = 0.25;

/** The size at which a view is compacted, in tokens. */
export function thresholdOf({ settings, model }: Agent): number {
  return settings.threshold <= 1 ? Math.floor(settings.threshold * model.profile.window) : settings.threshold;
}

/** Compacts if introduction and view are past the threshold; counts tokens only when they come near it. */
export async function compactIfLong(agent: Agent, introduction: Introduction, stops: Stops): Promise<void> {
  const { view } = agent.memory;
  const threshold = thresholdOf(agent);
  const around = introductionTokens(introduction);
  if (around + view.tokens < threshold * NEAR) return;
  await countItems(agent);
  if (around + view.tokens <= threshold) return;
  if (view.tokens > (inVain.get(agent) ?? 0) * WORTH_ANOTHER_TRY) await compact(agent, introduction, stops);
}

/** Replaces the estimates of items that were never counted. */
async function countItems({ memory, shared }: Agent): Promise<void> {
  const uncounted = memory.view.items.filter(({ counted }) => !counted);
  if (uncounted.length === 0) return;
  const counts = await shared.tokens.count(uncounted.map(({ turns }) => turns.map(textOf).join("\n")));
  for (const [index, item] of uncounted.entries()) memory.view.setTokens(item, counts[index]!);
}

/** Summarises the older part of the view. False if there is nothing to summarise, or nothing would be saved. */
export async function compact(agent: Agent, introduction: Introduction, stops: Stops): Promise<boolean> {
  const { memory } = agent;
  const plan = planLegion(memory.view, introductionTokens(introduction), thresholdOf(agent));
  if (!plan) return false;
  const before = plan.items.reduce((sum, item) => sum + item.tokens, 0);
  const saves = (content: string): boolean => {
    return content !== "" && estimateTokens(`${SUMMARY_OPENING}\n\n${content}`) < before;
  };
  const asked = await askForSummary(agent, plan, { introduction, stops });
  const content = [asked?.completion.text.trim() ?? "", digest(plan)].find(saves);
  // A digest takes what was paid for the summary that it stands in for.
  const usage = asked?.completion.usage ?? memory.ledger.open.at(-1)?.reserved ?? NO_USAGE;
  const { strategy } = plan;
  // One that is not kept covers nothing; it is in the log for what it cost.
  if (content !== undefined)
    await memory.commit({ kind: "summary", covers: plan.covers, content, strategy, usage });
  else if (asked) await memory.commit({ kind: "summary", covers: [0, 0], content: "", strategy, usage });
  asked?.settle();
  if (content === undefined) inVain.set(agent, memory.view.tokens);
  return content !== undefined;
}

/** Agents whose view could not be made shorter, and how long it was: it is not tried again before it has grown. */
const inVain = new WeakMap<Agent, number>();
const WORTH_ANOTHER_TRY = 1.1;

interface Context {
  readonly introduction: Introduction;
  readonly stops: Stops;
}

/** `undefined` if the model cannot or does not give one; rejects only with what stops the agent anyway. */
async function askForSummary(
  agent: Agent,
  plan: CompactionPlan,
  context: Context,
): Promise<Completed | undefined> {
  const { window, maxOutput, summarises } = agent.model.profile;
  if (!summarises) return undefined;
  const { introduction, stops } = context;
  const asked = summaryRequest(plan, Math.floor(window * SUMMARISER_SHARE), introduction.instructions);
  const request = {
    ...asked,
    maxOutput: Math.min(asked.maxOutput, maxOutput, Math.floor(window * OUTPUT_SHARE)),
  };
  const shown = [request.system, request.pinned, ...request.turns.map(textOf)];
  const tokens = shown.reduce((sum, text) => sum + estimateTokens(text), 0);
  try {
    return await complete(
      agent,
      { request, tokens, chain: sha256(shown.join("\n")), purpose: "summary" },
      stops,
    );
  } catch (error) {
    if (stops.signal.aborted || stops.patience?.aborted || isLegionError(error, "STORAGE")) throw error;
    return undefined;
  }
}
