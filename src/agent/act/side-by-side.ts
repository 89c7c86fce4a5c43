// Calls whose actions only read: they run side by side, and their results come into the log in the order of the calls.

import type { Stops } from "../../base/process/signals.ts";
import { type Call } from "../../domain/event/event.ts";
import { restartNotice } from "../../domain/event/notice.ts";
import type { Agent, Performed } from "../parts/agent.ts";
import { commitWork } from "../parts/commit-work.ts";

/** A call that has to run: for the first time, or again after it was cut off. */
export interface RunnableCall {
  readonly kind: "begin" | "again";
  readonly call: Call;
}

/**
 * Judges and begins each call, up to the first that has to be asked, and closes those. Resolves with how many they were;
 * rejects as `runCalls` does, with nothing left running.
 */
export async function runSideBySide(
  agent: Agent,
  reads: readonly RunnableCall[],
  stops: Stops,
): Promise<number> {
  const running: Promise<Performed>[] = [];
  try {
    for (const next of reads) {
      const clearance = await agent.clear!(next.call, stops);
      if (clearance.kind === "asks") break;
      await tellAgain(agent, next);
      running.push(
        clearance.kind === "ready"
          ? agent.perform(clearance.ready, stops.signal)
          : Promise.resolve(clearance.performed),
      );
      // Heard of when its turn comes.
      running.at(-1)!.catch(() => undefined);
    }
  } finally {
    await commitInOrder(agent, running);
  }
  return running.length;
}

async function commitInOrder(agent: Agent, running: readonly Promise<Performed>[]): Promise<void> {
  try {
    for (const performed of running) {
      const { result, refused } = await performed;
      await commitWork(agent, result, refused);
    }
  } finally {
    await Promise.allSettled(running);
  }
}

/** Before it runs: where it ends the process again, the log has to tell. */
export async function tellAgain({ memory }: Agent, { kind, call }: RunnableCall): Promise<void> {
  if (kind === "again") await memory.commit(restartNotice(`${call.action} is done again.`, "again"));
}
