// What a failure means for an agent: parked, halted, or another run after a pause.

import type { Agent } from "../../agent/parts/agent.ts";
import { isLegionError, messageOf } from "../../base/errors.ts";
import { park } from "../../agent/park.ts";
import { restartNotice } from "../../past/restart-notice.ts";

const FIRST_RESTART_MS = 1_000;
const LAST_RESTART_MS = 60_000;
/** More restarts than this within that time halt the agent; without one for as long as the last, they count anew. */
const MAX_RESTARTS = 5;
const RESTARTS_WITHIN_MS = 600_000;
const HEALTHY_MS = 300_000;

/**
 * Decides what a failure means: parks or halts the agent, or waits before its next run, until `signal` aborts. Rejects
 * with what breaks its log.
 */
export function createJudge(random: () => number) {
  let restarts: number[] = [];
  let streak = 0;
  let decided = 0;
  return async (agent: Agent, error: unknown, signal: AbortSignal): Promise<void> => {
    const { memory, presence, shared } = agent;
    const reason = messageOf(error);
    if (isLegionError(error, "MODEL_REFUSED") || isLegionError(error, "CONTEXT_OVERFLOW")) {
      return park(agent, "parked", reason);
    }
    const nowMs = shared.clock.now();
    const decision = memory.conversation.decision?.event.seq ?? 0;
    if (decision > decided || nowMs - (restarts.at(-1) ?? nowMs) > HEALTHY_MS) streak = 0;
    decided = decision;
    streak++;
    // A provider that is down is no fault of the agent's: it waits for as long as that lasts.
    const isWaiting = isLegionError(error, "MODEL_BUSY");
    if (!isWaiting) {
      restarts = [...restarts.filter((atMs) => nowMs - atMs < RESTARTS_WITHIN_MS), nowMs];
      if (restarts.length > MAX_RESTARTS) {
        restarts = [];
        return park(agent, "halted", `${MAX_RESTARTS} restarts within 10 minutes did not help: ${reason}`);
      }
    }
    const what = isWaiting ? "The model gave no answer, and is asked again" : "It failed, and begins anew";
    memory.note(restartNotice(`${what}: ${reason}`));
    const waitMs = Math.min(FIRST_RESTART_MS * 2 ** (streak - 1), LAST_RESTART_MS) * (0.8 + 0.4 * random());
    presence.show("retrying", `${reason} (again in ${Math.ceil(waitMs / 1_000)} s)`);
    await shared.clock.sleep(waitMs, signal);
  };
}
