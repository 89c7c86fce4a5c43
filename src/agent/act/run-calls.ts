// A decision's calls, each as far as its result in the log: judged, run, committed, before the next one begins.

import { commitWork } from "../parts/commit-work.ts";
import type { Agent } from "../parts/agent.ts";
import type { Stops } from "../../base/process/signals.ts";
import { restartNotice, type Call, type ResultEvent } from "../../domain/event/event.ts";

/** A call without a result, and how it gets one: it begins, it runs again, or this is recorded as its result. */
export type UnclosedCall =
  | { readonly kind: "begin" | "again"; readonly call: Call }
  | { readonly kind: "record"; readonly result: ResultEvent };

/** Closes calls in the order given (A3). Rejects when the log fails, and with what `Agent.admit` and `Agent.perform` reject with. */
export async function runCalls(agent: Agent, open: readonly UnclosedCall[], stops: Stops): Promise<void> {
  for (const next of open) {
    if (next.kind === "record") {
      await agent.memory.commit(next.result);
      continue;
    }
    // Before it runs: where it ends the process again, the log has to tell.
    if (next.kind === "again")
      await agent.memory.commit(restartNotice(`${next.call.action} is done again.`, "again"));
    await runCall(agent, next.call, stops);
  }
}

/** Runs one call, if it may run, and commits its result, with all that it changed and sent. */
async function runCall(agent: Agent, call: Call, stops: Stops): Promise<void> {
  const admission = await agent.admit(call, stops);
  const { result, refused } =
    admission.kind === "ready" ? await agent.perform(admission.ready, stops.signal) : admission.performed;
  await commitWork(agent, result, refused);
}
