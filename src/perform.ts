// One call: checked, run with its unit of work, and turned into a result. Nothing is committed here.

import type { Agent } from "./agent.ts";
import { checkCall } from "./check.ts";
import { elide } from "./compaction.ts";
import type { Call, ResultEvent } from "./event.ts";
import { isLegionError, messageOf } from "./errors.ts";
import { createHost } from "./host.ts";
import type { ActionResult } from "./module.ts";
import { estimateTokens } from "./tokens.ts";
import { beginWork, type Work } from "./work.ts";

export interface Performed {
  readonly result: ResultEvent;
  readonly work: Work;
}

export const ABORTED = "Stopped by Control.";
/** A result may fill this share of the model's window. */
const RESULT_SHARE = 4;

/**
 * Runs one call. What the model did wrong and what the action throws becomes an `error` result; an abort an `idle` one.
 * Rejects only when the log fails.
 */
export async function perform(agent: Agent, call: Call, signal: AbortSignal): Promise<Performed> {
  const work = beginWork(agent);
  const outcome = signal.aborted ? aborted() : await run(agent, call, { work, signal });
  const kept = outcome.outcome !== "error";
  const result: ResultEvent = {
    kind: "result",
    call: call.id,
    outcome: outcome.outcome,
    content: await fit(agent, outcome.content),
    ...(outcome.details !== undefined && { details: outcome.details }),
    ...(kept && work.changes.length > 0 && { state: work.changes }),
    ...(kept && work.sends.length > 0 && { sends: work.sends }),
    ...(work.usage && { usage: work.usage }),
  };
  return { result, work };
}

async function run(
  agent: Agent,
  call: Call,
  running: { readonly work: Work; readonly signal: AbortSignal },
): Promise<ActionResult> {
  const checked = checkCall(call, agent.modules.actions);
  if (checked.kind === "refused") return { outcome: "error", content: checked.reason };
  const { action, module } = agent.modules.actions.get(checked.name)!;
  try {
    const result = await action.execute(checked.parameters, createHost(agent, module, running));
    return running.signal.aborted ? aborted() : result;
  } catch (error) {
    if (isLegionError(error, "STORAGE")) throw error;
    return running.signal.aborted ? aborted() : { outcome: "error", content: messageOf(error) };
  }
}

function aborted(): ActionResult {
  return { outcome: "idle", content: ABORTED };
}

/** The text as the model can take it; a longer one is kept whole beside the log. */
async function fit(agent: Agent, content: string): Promise<string> {
  const maxTokens = Math.floor(agent.model.profile.window / RESULT_SHARE);
  if (estimateTokens(content) <= maxTokens) return content;
  const path = await createHost(agent, "core").keep(content);
  return `${elide(content, maxTokens * 2)}\n\n(The whole text is in ${path}.)`;
}
