// A decision's calls, each as far as its result in the log: judged, run, committed, before the next one begins. Only neighbours
// that read run side by side.

import { commitWork } from "../parts/commit-work.ts";
import type { Agent } from "../parts/agent.ts";
import type { Stops } from "../../base/process/signals.ts";
import type { ResultEvent } from "../../domain/event/event.ts";
import { NOT_BEGUN } from "./admit.ts";
import { runSideBySide, tellAgain, type RunnableCall } from "./side-by-side.ts";

/** A call without a result, and how it gets one: it begins, it runs again, or this is recorded as its result. */
export type UnclosedCall = RepeatableCall | { readonly kind: "record"; readonly result: ResultEvent };

interface RepeatableCall extends RunnableCall {
  /** Of one that may have been run: what is true of it where something comes first and it is not run again. */
  readonly otherwise?: ResultEvent;
}

const MOST_AT_ONCE = 8;

/** Closes calls in the order given (A3). Rejects when the log fails, and with what `Agent.admit` and `Agent.perform` reject with. */
export async function runCalls(agent: Agent, open: readonly UnclosedCall[], stops: Stops): Promise<void> {
  for (let next = 0; next < open.length;) {
    const reads = neighbouringReads(agent, open.slice(next, next + MOST_AT_ONCE));
    const closed = reads.length > 1 ? await runSideBySide(agent, reads, stops) : 0;
    next += closed;
    // What does not only read runs alone, and so does what has to be asked.
    if (closed === 0 || closed < reads.length) await close(agent, open[next++]!, stops);
  }
}

/** The first of `open`, as far as their actions only read; none where calls may not run side by side. */
function neighbouringReads(
  { clear, modules }: Agent,
  open: readonly UnclosedCall[],
): readonly RunnableCall[] {
  const reads: RunnableCall[] = [];
  for (const next of clear ? open : []) {
    if (next.kind === "record" || modules.effectsOf(next.call.action) !== "reads") break;
    reads.push(next);
  }
  return reads;
}

/** Runs one call, if it may run, and commits its result, with all that it changed and sent. */
async function close(agent: Agent, next: UnclosedCall, stops: Stops): Promise<void> {
  if (next.kind === "record") return void (await agent.memory.commit(next.result));
  await tellAgain(agent, next);
  const admission = await agent.admit(next.call, stops);
  const { result, refused } =
    admission.kind === "ready" ? await agent.perform(admission.ready, stops.signal) : admission.performed;
  // What has to be asked had been asked before it ran.
  const isAsked = agent.memory.conversation.questions.newest?.call.id === next.call.id;
  const isLeftOut = NOT_BEGUN.includes(result.content) && !isAsked;
  await commitWork(agent, (isLeftOut && next.otherwise) || result, refused);
}
