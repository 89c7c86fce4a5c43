// A replay for whoever watches a legion: one at a time, and not longer than somebody waits for it.

import { isLegionError, LegionError } from "../../base/errors.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { ReplaySite } from "../../legion/replay/replay-today.ts";
import type { Today } from "../../legion/prompt/definition-today.ts";
import type { ReadingAnswer } from "../api/readings.ts";

const MOST_SECONDS = 25;

export interface ReplayOrder {
  readonly agent: AgentId;
  readonly to?: number;
  /** Aborts when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

export type Replaying = (order: ReplayOrder) => Promise<ReadingAnswer<"replay">>;

/** @param today absent: agents are not opened here, and every replay is refused */
export function createReplaying(
  site: Omit<ReplaySite, "config">,
  today?: Today & ReplaySite["config"],
): Replaying {
  let state: "at rest" | "replaying" = "at rest";
  return async ({ agent, to, signal }) => {
    if (!today) throw new LegionError("REFUSED", `here nobody can; \`legion replay ${agent}\` does`);
    if (state === "replaying")
      throw new LegionError("REFUSED", "another replay is under way; try again when it is over");
    state = "replaying";
    const late = AbortSignal.timeout(MOST_SECONDS * 1_000);
    try {
      const { replayToday } = await import("../../legion/replay/replay-today.ts");
      const wish = { agent, to, signal: AbortSignal.any([signal, late]) };
      const { decisions, difference } = (await replayToday({ ...site, config: today }, wish, today)).replayed;
      if (!difference) return { decisions, difference: null };
      const { seq, part, recorded, today: made } = difference;
      return { decisions, difference: { seq, part, recorded, today: made } };
    } catch (error) {
      if (late.aborted && !isLegionError(error)) {
        const way = `\`legion replay ${agent}\` has no limit, and --to ends it earlier`;
        throw new LegionError("REFUSED", `it was not over after ${MOST_SECONDS} seconds; ${way}`);
      }
      throw error;
    } finally {
      state = "at rest";
    }
  };
}
